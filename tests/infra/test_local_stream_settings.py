"""What the stream source takes from the mapping, and which records the filter admits."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import boto3
import pytest
from moto import mock_aws

import sam_template
from local.stream_settings import StreamSettings, matches
from stream_world import COMMITS

if TYPE_CHECKING:
    from mypy_boto3_lambda import LambdaClient
    from mypy_boto3_sqs import SQSClient


@pytest.fixture
def queues(monkeypatch: pytest.MonkeyPatch) -> "Iterator[SQSClient]":
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "test")
    with mock_aws():
        yield boto3.client("sqs", region_name="us-east-1")


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


def test_settings_are_those_of_the_mapping(queues: "SQSClient") -> None:
    address = queues.create_queue(QueueName="failures")["QueueUrl"]
    told = {
        "FunctionArn": "projector:live",
        "BatchSize": 10,
        "MaximumRetryAttempts": 5,
        "MaximumRecordAgeInSeconds": 60,
        "BisectBatchOnFunctionError": True,
        "DestinationConfig": {"OnFailure": {"Destination": "arn:aws:sqs:us-east-1:1:failures"}},
        "FilterCriteria": {"Filters": [{"Pattern": json.dumps(COMMITS)}]},
    }
    assert of_mapping(queues, told) == StreamSettings(
        "stream",
        "projector:live",
        batch_size=10,
        retries=5,
        max_age_seconds=60,
        bisect=True,
        failure_queue=address,
        patterns=(COMMITS,),
    )


def test_a_mapping_that_says_nothing_has_no_bounds(queues: "SQSClient") -> None:
    settings = of_mapping(queues, {"FunctionArn": "projector:live"})
    assert settings == StreamSettings("stream", "projector:live")
    assert settings.admits({"anything": 1})


def test_a_stream_without_a_mapping_is_an_error(queues: "SQSClient") -> None:
    with pytest.raises(LookupError, match="stream"):
        of_mapping(queues)


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
