"""The stand-in for the stream mapping: what it delivers, repeats, gives up and remembers."""

import json
from collections.abc import Iterator
from pathlib import Path

import boto3
import pytest
from moto import mock_aws

from stream_world import World


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[World]:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    with mock_aws():
        queues = boto3.client("sqs")
        queue = queues.create_queue(QueueName="failures")["QueueUrl"]
        yield World(queues, queue, tmp_path / "position")


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


def test_the_last_records_of_a_closed_shard_are_delivered_too(world: World) -> None:
    world.stream.write("C#1", "C#2", "C#3")
    world.stream.closed = True
    assert world.run(world.source(batch_size=2)) == 3
    assert world.functions.calls == [["C#1", "C#2"], ["C#3"]]
