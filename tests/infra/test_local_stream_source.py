"""The stand-in for the stream mapping: what it delivers, repeats, gives up and remembers."""

import io
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import boto3
import pytest
from botocore.exceptions import ClientError
from moto import mock_aws

import sam_template
from local.stream_settings import StreamSettings, matches
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

    def get_shard_iterator(
        self,
        *,
        StreamArn: str,
        ShardId: str,
        ShardIteratorType: str,
        SequenceNumber: str = "",  # noqa: N803
    ) -> dict[str, Any]:
        assert (StreamArn, ShardId) == (self.arn, "shard")
        if ShardIteratorType == "TRIM_HORIZON":
            return {"ShardIterator": "0"}
        assert ShardIteratorType == "AFTER_SEQUENCE_NUMBER"
        for place, record in enumerate(self.records):
            if record["dynamodb"]["SequenceNumber"] == SequenceNumber:
                return {"ShardIterator": str(place + 1)}
        raise ClientError({"Error": {"Code": "TrimmedDataAccessException"}}, "GetShardIterator")

    def get_records(self, *, ShardIterator: str) -> dict[str, Any]:  # noqa: N803
        page = self.records[int(ShardIterator) :]
        return {"Records": page, "NextShardIterator": str(len(self.records))}


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


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[World]:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    with mock_aws():
        queues = boto3.client("sqs")
        queue = queues.create_queue(QueueName="failures")["QueueUrl"]
        yield World(queues, queue, tmp_path / "position")


def sort_key(record: dict[str, Any]) -> str:
    return str(record["dynamodb"]["Keys"]["sk"]["S"])


def test_it_delivers_the_records_that_the_filter_admits_and_no_others(world: World) -> None:
    world.stream.write("R#1", "C#1", "CLOCK", "C#2", "V#1")
    assert world.run(world.source()) == 2
    assert world.functions.calls == [["C#1", "C#2"]]


def test_a_delivered_record_is_as_lambda_hands_it_over(world: World) -> None:
    world.stream.write("C#1")
    world.run(world.source())
    record = world.functions.events[0]["Records"][0]
    assert record["eventSourceARN"] == world.stream.arn
    assert record["eventName"] == "INSERT"
    assert isinstance(record["dynamodb"]["ApproximateCreationDateTime"], float)


def test_what_is_settled_is_not_delivered_again(world: World) -> None:
    world.stream.write("C#1")
    source = world.source()
    world.run(source)
    world.stream.write("C#2")
    world.run(source)
    assert world.functions.calls == [["C#1"], ["C#2"]]


def test_a_new_source_goes_on_where_the_last_one_stopped(world: World) -> None:
    world.stream.write("C#1")
    world.run(world.source())
    world.stream.write("C#2", "R#2")
    world.run(world.source())
    assert world.functions.calls == [["C#1"], ["C#2"]]


def test_a_position_of_another_stream_is_not_used(world: World) -> None:
    world.position_file.write_text(json.dumps({"stream": "old", "shards": {"shard": "1"}}))
    world.stream.write("C#1")
    world.run(world.source())
    assert world.functions.calls == [["C#1"]]


def test_batches_are_no_larger_than_the_mapping_says(world: World) -> None:
    world.stream.write(*(f"C#{i}" for i in range(7)))
    world.run(world.source(batch_size=3))
    assert [len(call) for call in world.functions.calls] == [3, 3, 1]


def test_a_refused_record_and_those_behind_it_come_again_and_those_before_it_do_not(
    world: World,
) -> None:
    world.stream.write("C#1", "C#2", "C#3")
    world.functions.refuses = {"C#2"}
    source = world.source()
    source.poll()
    world.functions.refuses = set()
    world.run(source)
    assert world.functions.calls[0] == ["C#1", "C#2", "C#3"]
    assert world.functions.taken()[3:] == ["C#2", "C#3"]
    assert world.given_up() == []


@pytest.mark.parametrize("how", ["refuses", "raises"])
def test_a_poisoned_record_alone_is_given_up_after_its_retries(world: World, how: str) -> None:
    world.stream.write(*(f"C#{i}" for i in range(6)))
    setattr(world.functions, how, {"C#3"})
    assert world.run(world.source(retries=2)) == 6
    alone = [call for call in world.functions.calls if call == ["C#3"]]
    assert len(alone) == 3  # once and two retries
    failure = world.given_up()[0]["DDBStreamBatchInfo"]
    assert failure["batchSize"] == 1
    assert failure["startSequenceNumber"] == failure["endSequenceNumber"]
    assert {"C#4", "C#5"} <= set(world.functions.taken())


def test_without_bisecting_the_batch_is_given_up_as_a_whole(world: World) -> None:
    world.stream.write("C#1", "C#2")
    world.functions.raises = {"C#2"}
    assert world.run(world.source(bisect=False, retries=1)) == 2
    assert world.functions.calls == [["C#1", "C#2"]] * 2
    body = world.given_up()[0]
    assert body["DDBStreamBatchInfo"]["batchSize"] == 2
    assert body["requestContext"]["condition"] == "RetryAttemptsExhausted"


def test_records_that_are_too_old_are_given_up_at_their_first_failure(world: World) -> None:
    world.stream.write("C#1")
    world.functions.raises = {"C#1"}
    world.run(world.source(retries=-1, max_age=0))
    assert world.functions.calls == [["C#1"]]
    assert world.given_up()[0]["requestContext"]["condition"] == "MaximumRecordAgeExceeded"


def test_a_failing_function_is_not_called_again_before_its_time(world: World) -> None:
    world.stream.write("C#1")
    world.functions.raises = {"C#1"}
    source = world.source(retries=-1)
    for _ in range(10):
        source.poll()
    assert len(world.functions.calls) == 1


def test_a_throttled_call_is_repeated(world: World) -> None:
    world.stream.write("C#1")
    world.functions.throttled = 2
    assert world.run(world.source(retries=5)) == 1
    assert world.functions.calls == [["C#1"]]


def test_a_position_that_the_stream_has_forgotten_means_from_its_beginning(world: World) -> None:
    world.stream.write("C#1")
    source = world.source()
    source.poll()
    told = json.loads(world.position_file.read_text())
    (shard,) = told["shards"]
    world.position_file.write_text(json.dumps(told | {"shards": {shard: "1"}}))
    later = world.source()
    world.run(later)
    assert world.functions.calls == [["C#1"], ["C#1"]]


@dataclass(slots=True)
class Mappings:
    """The one operation of Lambda that the settings are read by."""

    found: list[dict[str, Any]]

    def list_event_source_mappings(self, *, EventSourceArn: str) -> dict[str, Any]:  # noqa: N803
        assert EventSourceArn == "stream"
        return {"EventSourceMappings": self.found}


def of_mapping(queues: "SQSClient", *found: dict[str, Any]) -> StreamSettings:
    functions = cast("LambdaClient", Mappings(list(found)))
    return StreamSettings.of_mapping("stream", functions=functions, queues=queues)


def test_settings_are_those_of_the_mapping(world: World) -> None:
    told = {
        "FunctionArn": "projector:live",
        "BatchSize": 10,
        "MaximumRetryAttempts": 5,
        "MaximumRecordAgeInSeconds": 60,
        "BisectBatchOnFunctionError": True,
        "DestinationConfig": {"OnFailure": {"Destination": "arn:aws:sqs:us-east-1:1:failures"}},
        "FilterCriteria": {"Filters": [{"Pattern": json.dumps(COMMITS)}]},
    }
    assert of_mapping(world.queues, told) == StreamSettings(
        "stream",
        "projector:live",
        batch_size=10,
        retries=5,
        max_age_seconds=60,
        bisect=True,
        failure_queue=world.failure_queue,
        patterns=(COMMITS,),
    )


def test_a_mapping_that_says_nothing_has_no_bounds(world: World) -> None:
    settings = of_mapping(world.queues, {"FunctionArn": "projector:live"})
    assert settings == StreamSettings("stream", "projector:live")
    assert settings.admits({"anything": 1})


def test_a_stream_without_a_mapping_is_an_error(world: World) -> None:
    with pytest.raises(LookupError, match="stream"):
        of_mapping(world.queues)


def test_the_filter_of_the_template_admits_commits_only() -> None:
    projector = sam_template.resources("AWS::Serverless::Function")["ProjectorFunction"]
    (one,) = projector["Events"]["Commits"]["Properties"]["FilterCriteria"]["Filters"]
    pattern = json.loads(one["Pattern"])

    def admitted(name: str) -> bool:
        return matches(pattern, {"dynamodb": {"Keys": {"pk": {"S": "C#"}, "sk": {"S": name}}}})

    assert admitted("C#00000000000000000001")
    assert not any(map(admitted, ("CLOCK", "R#C#1", "H#a#1", "c#1")))


@pytest.mark.parametrize(
    ("pattern", "value", "expected"),
    [
        ({"eventName": ["INSERT", "MODIFY"]}, {"eventName": "MODIFY"}, True),
        ({"eventName": ["INSERT"]}, {"eventName": "REMOVE"}, False),
        ({"eventName": ["INSERT"]}, {}, False),
        ({"a": {"b": ["x"]}}, {"a": "x"}, False),
        ({"a": [{"prefix": "x"}]}, {"a": 1}, False),
    ],
)
def test_a_pattern_names_members_and_what_each_may_be(
    pattern: dict[str, Any], value: dict[str, Any], *, expected: bool
) -> None:
    assert matches(pattern, value) is expected


@pytest.mark.parametrize("rule", [[{"anything-but": "x"}], "x", [{"numeric": [">", 1]}]])
def test_rules_that_are_not_read_here_are_refused_not_ignored(rule: object) -> None:
    with pytest.raises(ValueError, match=r"filter|prefixes"):
        matches({"a": rule}, {"a": "x"})
