"""`JobStarter` over a state machine of AWS Step Functions."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

import boto3
from botocore.config import Config
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectTimeoutError,
    ReadTimeoutError,
)

from palimpsest.domain.errors import DeadlineExceeded, PalimpsestError, Throttled, Unavailable

if TYPE_CHECKING:
    from mypy_boto3_stepfunctions import SFNClient

STAGE = "jobs"
THROTTLED = frozenset({"ExecutionLimitExceeded", "ThrottlingException", "TooManyRequestsException"})
TAKEN = "ExecutionAlreadyExists"
ABSENT = "ExecutionDoesNotExist"
TIMEOUTS = (ConnectTimeoutError, ReadTimeoutError)


def make_client() -> "SFNClient":
    """A client whose calls end well before a function's time-out."""
    return boto3.client(
        "stepfunctions",
        config=Config(
            connect_timeout=1,
            read_timeout=4,
            retries={"total_max_attempts": 3, "mode": "standard"},
        ),
    )


class StepFunctionsJobs:
    """`JobStarter` over the machine of that ARN (a STANDARD one: the name of an execution is its
    own for 90 days). `client` makes the client at the first start: most calls need none.
    """

    def __init__(self, machine_arn: str, client: "Callable[[], SFNClient]") -> None:
        self._machine = machine_arn
        self._client = cache(client)

    def start(self, name: str, payload: Mapping[str, Any]) -> None:
        """See `JobStarter.start`."""
        told = json.dumps(payload, sort_keys=True)
        with translated():
            try:
                self._client().start_execution(stateMachineArn=self._machine, name=name, input=told)
            except ClientError as error:
                if code_of(error) != TAKEN:
                    raise
                self._expect(name, payload)

    def running(self, name: str) -> bool | None:
        """See `JobStarter.running`."""
        with translated():
            try:
                found = self._client().describe_execution(executionArn=self._execution(name))
            except ClientError as error:
                if code_of(error) != ABSENT:
                    raise
                return None
        return found["status"] == "RUNNING"

    def _execution(self, name: str) -> str:
        return f"{self._machine.replace(':stateMachine:', ':execution:', 1)}:{name}"

    def _expect(self, name: str, payload: Mapping[str, Any]) -> None:
        """The service names a finished execution taken whatever it was started with."""
        found = self._client().describe_execution(executionArn=self._execution(name))
        if json.loads(found.get("input", "null")) != payload:
            raise ValueError(f"{name} was started with another payload")


def code_of(error: ClientError) -> str:
    """The error code of an answer."""
    return str(error.response.get("Error", {}).get("Code", ""))


@contextmanager
def translated() -> Iterator[None]:
    """Vendor errors as the domain's: throttling, time-outs, outages. Programming errors pass as
    they are.
    """
    try:
        yield
    except PalimpsestError:
        raise
    except TIMEOUTS as error:
        raise DeadlineExceeded("the job was not started in time", stage=STAGE) from error
    except ClientError as error:
        if code_of(error) in THROTTLED:
            raise Throttled("the state machine asks for patience") from error
        status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 500)
        if status >= 500:  # noqa: PLR2004  # server errors of HTTP
            raise Unavailable("the state machine failed", stage=STAGE) from error
        raise
    except BotoCoreError as error:
        raise Unavailable("the state machine cannot be reached", stage=STAGE) from error
