"""A stream, a function and a queue as their AWS operations show them, for the stream source."""

import io
import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from botocore.exceptions import ClientError

from local.stream_settings import StreamSettings
from local.stream_source import LONGEST_BACKOFF_SECONDS, StreamSource

if TYPE_CHECKING:
    from mypy_boto3_dynamodbstreams import DynamoDBStreamsClient
    from mypy_boto3_lambda import LambdaClient
    from mypy_boto3_sqs import SQSClient

COMMITS = {"dynamodb": {"Keys": {"sk": {"S": [{"prefix": "C#"}]}}}}


@dataclass(slots=True)
class Functions:
    """One Lambda function as its API shows it: `refuses` names the sort keys that it fails on."""

    refuses: set[str] = field(default_factory=set)
    raises: set[str] = field(default_factory=set)
    throttled: int = 0
    calls: list[list[str]] = field(default_factory=list)
    events: list[dict[str, Any]] = field(default_factory=list)

    def invoke(self, *, FunctionName: str, Payload: bytes) -> dict[str, Any]:  # noqa: N803
        assert FunctionName == "projector:live"
        if self.throttled:
            self.throttled -= 1
            raise ClientError({"Error": {"Code": "TooManyRequestsException"}}, "Invoke")
        event = json.loads(Payload)
        self.events.append(event)
        keys = {sort_key(record): record for record in event["Records"]}
        self.calls.append(list(keys))
        if self.raises & keys.keys():
            return {"FunctionError": "Unhandled", "Payload": io.BytesIO(b"{}")}
        failed = [
            {"itemIdentifier": record["dynamodb"]["SequenceNumber"]}
            for name, record in keys.items()
            if name in self.refuses
        ]
        return {"Payload": io.BytesIO(json.dumps({"batchItemFailures": failed}).encode())}

    def taken(self) -> list[str]:
        return [name for call in self.calls for name in call]


@dataclass(slots=True)
class Stream:
    """A stream of one shard, as the streams API shows it; an iterator is a place in `records`."""

    arn: str = "stream"
    records: list[dict[str, Any]] = field(default_factory=list)
    closed: bool = False

    def write(self, *sort_keys: str) -> None:
        for name in sort_keys:
            change = {
                "ApproximateCreationDateTime": datetime.now(UTC),
                "Keys": {"pk": {"S": "acme#default"}, "sk": {"S": name}},
                "SequenceNumber": f"{len(self.records) + 100:021}",
            }
            self.records.append({"eventName": "INSERT", "dynamodb": change})

    def describe_stream(self, *, StreamArn: str) -> dict[str, Any]:  # noqa: N803
        assert StreamArn == self.arn
        return {"StreamDescription": {"Shards": [{"ShardId": "shard"}]}}

    def get_shard_iterator(self, **place: str) -> dict[str, Any]:
        assert (place["StreamArn"], place["ShardId"]) == (self.arn, "shard")
        if place["ShardIteratorType"] == "TRIM_HORIZON":
            return {"ShardIterator": "0"}
        assert place["ShardIteratorType"] == "AFTER_SEQUENCE_NUMBER"
        numbers = [record["dynamodb"]["SequenceNumber"] for record in self.records]
        if place["SequenceNumber"] in numbers:
            return {"ShardIterator": str(numbers.index(place["SequenceNumber"]) + 1)}
        raise ClientError({"Error": {"Code": "TrimmedDataAccessException"}}, "GetShardIterator")

    def get_records(self, *, ShardIterator: str) -> dict[str, Any]:  # noqa: N803
        page = self.records[int(ShardIterator) :]
        return {"Records": page} | (
            {} if self.closed else {"NextShardIterator": str(len(self.records))}
        )


@dataclass(slots=True)
class World:
    """A stream, a function, a queue, and time that moves by itself."""

    queues: "SQSClient"
    failure_queue: str
    position_file: Path
    stream: Stream = field(default_factory=Stream)
    functions: Functions = field(default_factory=Functions)
    now: float = 0.0

    def source(
        self, *, retries: int = 2, bisect: bool = True, batch_size: int = 100, max_age: int = -1
    ) -> StreamSource:
        return StreamSource(
            settings=StreamSettings(
                self.stream.arn,
                "projector:live",
                failure_queue=self.failure_queue,
                retries=retries,
                bisect=bisect,
                batch_size=batch_size,
                max_age_seconds=max_age,
                patterns=(COMMITS,),
            ),
            streams=cast("DynamoDBStreamsClient", self.stream),
            functions=cast("LambdaClient", self.functions),
            queues=self.queues,
            position_file=self.position_file,
            monotonic=lambda: self.now,
        )

    def run(self, source: StreamSource, polls: int = 40) -> int:
        settled = 0
        for _ in range(polls):
            settled += source.poll()
            self.now += LONGEST_BACKOFF_SECONDS
        return settled

    def given_up(self) -> list[dict[str, Any]]:
        answer = self.queues.receive_message(QueueUrl=self.failure_queue, MaxNumberOfMessages=10)
        return [json.loads(message["Body"]) for message in answer.get("Messages", [])]


def sort_key(record: dict[str, Any]) -> str:
    return str(record["dynamodb"]["Keys"]["sk"]["S"])
