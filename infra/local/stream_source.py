"""The table's stream, read for the projector by public AWS operations alone.

The emulator's own stream mapping loses records that a function reports as failed, so on a laptop
the mapping is disabled and this stands in for it. It takes batch size, filter, retries, age and
failure queue from the mapping itself, so what is proved here is what the template says.
"""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from local.stream_settings import StreamSettings

if TYPE_CHECKING:
    from mypy_boto3_dynamodbstreams import DynamoDBStreamsClient
    from mypy_boto3_lambda import LambdaClient
    from mypy_boto3_sqs import SQSClient

Record = dict[str, Any]
FIRST_BACKOFF_SECONDS, LONGEST_BACKOFF_SECONDS = 0.2, 5.0
_SHARDS_SECONDS = 10.0
_BEHIND = {"TrimmedDataAccessException", "ExpiredIteratorException"}


@dataclass(slots=True)
class _Shard:
    """How far one shard has been read (`iterator`) and settled (`position`, a sequence number)."""

    id: str
    position: str | None
    limit: int
    iterator: str | None = None
    pending: list[Record] = field(default_factory=list)
    tries: int = 0
    failures: int = 0
    resume_at: float = 0.0
    closed: bool = False


@dataclass(slots=True)
class StreamSource:
    """Wakes one function for one stream; `poll` does what there is to do and returns.

    `position_file` keeps how far each shard is settled: what a function has taken, or what was
    given up into the failure queue. A position that the stream does not know: from its beginning.
    """

    settings: StreamSettings
    streams: "DynamoDBStreamsClient"
    functions: "LambdaClient"
    queues: "SQSClient"
    position_file: Path
    monotonic: Callable[[], float] = time.monotonic
    _shards: dict[str, _Shard] = field(default_factory=dict)
    _listed_at: float = float("-inf")

    def poll(self) -> int:
        """Read and deliver once; the number of records settled. Errors of the endpoint go on."""
        if self.monotonic() - self._listed_at >= _SHARDS_SECONDS:
            self._list_shards()
        return sum(self._advance(shard) for shard in self._shards.values())

    def _list_shards(self) -> None:
        known = self._positions()
        described = self.streams.describe_stream(StreamArn=self.settings.stream)
        for told in described["StreamDescription"]["Shards"]:
            shard = _Shard(told["ShardId"], known.get(told["ShardId"]), self.settings.batch_size)
            self._shards.setdefault(shard.id, shard)
        self._listed_at = self.monotonic()

    def _advance(self, shard: _Shard) -> int:
        if self.monotonic() < shard.resume_at:
            return 0
        if not shard.pending and not shard.closed:
            self._read(shard)
        batch = shard.pending[: shard.limit]
        if not batch:
            return 0
        failed = self._deliver(batch)
        if failed is None:
            shard.limit = self.settings.batch_size
            return self._settle(shard, len(batch))
        return self._settle(shard, failed) + self._failed(shard, batch[failed:], moved=failed > 0)

    def _read(self, shard: _Shard) -> None:
        """The next page: what the filter leaves of it becomes pending, the rest is settled."""
        try:
            page = self.streams.get_records(ShardIterator=shard.iterator or self._iterator(shard))
        except ClientError as error:
            if error.response["Error"]["Code"] not in _BEHIND:
                raise
            shard.iterator = None
            shard.position = shard.position if "Expired" in str(error) else None
            return
        shard.iterator = page.get("NextShardIterator")
        shard.closed = shard.iterator is None
        records = [_as_delivered(dict(r), self.settings.stream) for r in page["Records"]]
        shard.pending = [record for record in records if self.settings.admits(record)]
        if records and not shard.pending:
            self._note(shard, records[-1])

    def _iterator(self, shard: _Shard) -> str:
        place: dict[str, Any] = {"ShardIteratorType": "TRIM_HORIZON"}
        if shard.position:
            place = {
                "ShardIteratorType": "AFTER_SEQUENCE_NUMBER",
                "SequenceNumber": shard.position,
            }
        return self.streams.get_shard_iterator(
            StreamArn=self.settings.stream, ShardId=shard.id, **place
        )["ShardIterator"]

    def _deliver(self, batch: Sequence[Record]) -> int | None:
        """Invoke the function; the index of the first record it refused, None if it took all."""
        try:
            answer = self.functions.invoke(
                FunctionName=self.settings.function,
                Payload=json.dumps({"Records": batch}).encode(),
            )
        except ClientError:
            return 0
        if answer.get("FunctionError"):
            return 0
        told = json.loads(answer["Payload"].read() or b"null") or {}
        failed = {item["itemIdentifier"] for item in told.get("batchItemFailures") or []}
        places = [i for i, record in enumerate(batch) if _sequence(record) in failed]
        return min(places) if places else (0 if failed else None)

    def _failed(self, shard: _Shard, rest: Sequence[Record], *, moved: bool) -> int:
        """Wait, halve or give up; the number of records given up."""
        shard.tries = 1 if moved else shard.tries + 1
        shard.failures += 1
        wait = FIRST_BACKOFF_SECONDS * 2.0 ** (shard.failures - 1)
        shard.resume_at = self.monotonic() + min(wait, LONGEST_BACKOFF_SECONDS)
        age = time.time() - rest[0]["dynamodb"]["ApproximateCreationDateTime"]
        old = 0 <= self.settings.max_age_seconds < age
        if not old and self.settings.bisect and len(rest) > 1:
            shard.limit, shard.tries = max(1, len(rest) // 2), 0
            return 0
        if not old and (self.settings.retries < 0 or shard.tries <= self.settings.retries):
            return 0
        self._give_up(shard, rest, "MaximumRecordAgeExceeded" if old else "RetryAttemptsExhausted")
        shard.limit = self.settings.batch_size
        return self._settle(shard, len(rest))

    def _give_up(self, shard: _Shard, rest: Sequence[Record], condition: str) -> None:
        if not self.settings.failure_queue:
            return
        body = {
            "requestContext": {"functionArn": self.settings.function, "condition": condition},
            "version": "1.0",
            "DDBStreamBatchInfo": {
                "shardId": shard.id,
                "startSequenceNumber": _sequence(rest[0]),
                "endSequenceNumber": _sequence(rest[-1]),
                "batchSize": len(rest),
                "streamArn": self.settings.stream,
            },
        }
        self.queues.send_message(QueueUrl=self.settings.failure_queue, MessageBody=json.dumps(body))

    def _settle(self, shard: _Shard, count: int) -> int:
        if count:
            self._note(shard, shard.pending[count - 1])
            del shard.pending[:count]
            shard.tries = shard.failures = 0
            shard.resume_at = 0.0
        return count

    def _note(self, shard: _Shard, record: Record) -> None:
        shard.position = _sequence(record)
        positions = {s.id: s.position for s in self._shards.values() if s.position}
        fresh = self.position_file.with_suffix(".new")
        fresh.write_text(json.dumps({"stream": self.settings.stream, "shards": positions}))
        fresh.replace(self.position_file)

    def _positions(self) -> dict[str, str]:
        if not self.position_file.exists():
            return {}
        kept = json.loads(self.position_file.read_text())
        return dict(kept["shards"]) if kept["stream"] == self.settings.stream else {}


def _sequence(record: Record) -> str:
    return str(record["dynamodb"]["SequenceNumber"])


def _as_delivered(record: Record, stream: str) -> Record:
    """A record of GetRecords in the form in which Lambda hands it to a function."""
    change = dict(record["dynamodb"])
    made_at: datetime = change["ApproximateCreationDateTime"]
    change["ApproximateCreationDateTime"] = made_at.timestamp()
    return record | {"dynamodb": change, "eventSourceARN": stream}
