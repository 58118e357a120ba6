"""What a DynamoDB stream mapping of Lambda says, in the terms of `stream_source.py`."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mypy_boto3_lambda import LambdaClient
    from mypy_boto3_sqs import SQSClient

_UNBOUNDED = -1


@dataclass(frozen=True, slots=True)
class StreamSettings:
    """`retries` and `max_age_seconds`: −1 for no bound; `failure_queue`: an address or empty."""

    stream: str
    function: str
    batch_size: int = 100
    retries: int = _UNBOUNDED
    max_age_seconds: int = _UNBOUNDED
    bisect: bool = False
    failure_queue: str = ""
    patterns: tuple[Mapping[str, Any], ...] = ()

    @classmethod
    def of_mapping(
        cls, stream: str, *, functions: "LambdaClient", queues: "SQSClient"
    ) -> "StreamSettings":
        """The settings of the one mapping of `stream`. Raises `LookupError` if there is none."""
        found = functions.list_event_source_mappings(EventSourceArn=stream)["EventSourceMappings"]
        if not found:
            raise LookupError(f"no event source mapping reads {stream}")
        told: Mapping[str, Any] = found[0]
        queue = told.get("DestinationConfig", {}).get("OnFailure", {}).get("Destination", "")
        name = queue.rpartition(":")[2]
        filters = told.get("FilterCriteria", {}).get("Filters", [])
        return cls(
            stream=stream,
            function=told["FunctionArn"],
            batch_size=int(told.get("BatchSize", 100)),
            retries=int(told.get("MaximumRetryAttempts", _UNBOUNDED)),
            max_age_seconds=int(told.get("MaximumRecordAgeInSeconds", _UNBOUNDED)),
            bisect=bool(told.get("BisectBatchOnFunctionError", False)),
            failure_queue=queues.get_queue_url(QueueName=name)["QueueUrl"] if name else "",
            patterns=tuple(json.loads(one["Pattern"]) for one in filters),
        )

    def admits(self, record: Mapping[str, Any]) -> bool:
        """Whether one of the filter's patterns matches; no filter admits everything."""
        return not self.patterns or any(matches(pattern, record) for pattern in self.patterns)


def matches(pattern: Mapping[str, Any], value: object) -> bool:
    """Whether `value` has every member of `pattern`: literals and `prefix` rules, any one per list.

    Raises `ValueError` for the rules that this project's template does not use.
    """
    if not isinstance(value, Mapping):
        return False
    return all(_matches_member(rule, value.get(name)) for name, rule in pattern.items())


def _matches_member(rule: object, value: object) -> bool:
    if isinstance(rule, Mapping):
        return matches(rule, value)
    if not isinstance(rule, list):
        raise ValueError(f"a filter lists what it admits, not {rule!r}")  # noqa: TRY004  # data
    return any(_admits_one(option, value) for option in rule)


def _admits_one(option: object, value: object) -> bool:
    if not isinstance(option, Mapping):
        return option == value
    if set(option) != {"prefix"}:
        raise ValueError(f"only literals and prefixes are read here, not {option!r}")
    return isinstance(value, str) and value.startswith(option["prefix"])
