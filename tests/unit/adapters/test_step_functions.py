"""What the starter of jobs makes of answers and failures; botocore is the real one."""

import json

import pytest
from botocore.exceptions import (
    ClientError,
    ConnectTimeoutError,
    EndpointConnectionError,
    ReadTimeoutError,
)

from palimpsest.adapters.step_functions import StepFunctionsJobs, make_client
from palimpsest.domain.errors import DeadlineExceeded, PalimpsestError, Throttled, Unavailable
from unit.adapters.scripted_aws import Reply, Scripted, at_once

__all__ = ["at_once"]
pytestmark = pytest.mark.usefixtures("at_once")

MACHINE = "arn:aws:states:us-east-1:123456789012:stateMachine:palimpsest-jobs"
PAYLOAD = {"kind": "reconcile", "tenant": "acme", "job": "j1", "prepared": False}
STARTED: Reply = (200, {}, b'{"executionArn": "arn", "startDate": 1}')


def scripted(*replies: Reply | Exception) -> tuple[StepFunctionsJobs, Scripted]:
    script = Scripted(make_client, *replies)
    return StepFunctionsJobs(MACHINE, lambda: script.client), script


def refusal(status: int, code: str) -> Reply:
    return status, {}, json.dumps({"__type": code, "message": "no"}).encode()


def described(payload: object) -> Reply:
    return 200, {}, json.dumps({"status": "SUCCEEDED", "input": json.dumps(payload)}).encode()


def test_no_client_is_made_before_the_first_start() -> None:
    made = []
    script = Scripted(make_client, STARTED)

    def client() -> object:
        made.append(1)
        return script.client

    jobs = StepFunctionsJobs(MACHINE, client)  # type: ignore[arg-type]
    assert made == []
    jobs.start("j1", PAYLOAD)
    jobs.start("j2", PAYLOAD)
    assert made == [1]


def test_a_name_taken_by_an_equal_payload_is_a_start() -> None:
    same = dict(reversed(PAYLOAD.items()))
    jobs, script = scripted(refusal(400, "ExecutionAlreadyExists"), described(same))
    jobs.start("j1", PAYLOAD)
    asked = json.loads(script.requests[1].body)  # type: ignore[arg-type]
    arn = "arn:aws:states:us-east-1:123456789012:execution:palimpsest-jobs:j1"
    assert asked == {"executionArn": arn}


def test_a_name_taken_by_another_payload_is_a_mistake_of_the_caller() -> None:
    other = described({**PAYLOAD, "tenant": "other"})
    jobs, _ = scripted(refusal(400, "ExecutionAlreadyExists"), other)
    with pytest.raises(ValueError, match="j1"):
        jobs.start("j1", PAYLOAD)


@pytest.mark.parametrize(
    "before", [[], [refusal(400, "ExecutionAlreadyExists")]], ids=["starting", "comparing"]
)
@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (refusal(400, "ThrottlingException"), Throttled),
        (refusal(400, "ExecutionLimitExceeded"), Throttled),
        (refusal(503, "ServiceUnavailable"), Unavailable),
        (refusal(500, "InternalFailure"), Unavailable),
        (ConnectTimeoutError(endpoint_url="here"), DeadlineExceeded),
        (ReadTimeoutError(endpoint_url="here"), DeadlineExceeded),
        (EndpointConnectionError(endpoint_url="here"), Unavailable),
    ],
    ids=str,
)
def test_a_failure_becomes_an_error_of_its_kind(
    before: list[Reply], reply: Reply | Exception, error: type[PalimpsestError]
) -> None:
    jobs, _ = scripted(*before, reply)
    with pytest.raises(error) as caught:
        jobs.start("j1", PAYLOAD)
    assert type(caught.value) is error
    assert getattr(caught.value, "stage", "jobs") == "jobs"


@pytest.mark.parametrize("code", ["StateMachineDoesNotExist", "AccessDeniedException"])
def test_a_machine_that_is_not_there_is_nobodys_outage(code: str) -> None:
    jobs, _ = scripted(refusal(400, code))
    with pytest.raises(ClientError, match=code):
        jobs.start("j1", PAYLOAD)


def test_an_ambiguous_failure_is_settled_by_the_name() -> None:
    jobs, script = scripted(
        ReadTimeoutError(endpoint_url="here"),
        refusal(400, "ExecutionAlreadyExists"),
        described(PAYLOAD),
    )
    jobs.start("j1", PAYLOAD)
    assert len(script.requests) == 3
