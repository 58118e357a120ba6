"""The DynamoDB client as this adapter uses it, and the translation of its errors."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import boto3
from botocore.config import Config
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectTimeoutError,
    EndpointConnectionError,
    ReadTimeoutError,
)

from palimpsest.domain.errors import DeadlineExceeded, PalimpsestError, Throttled, Unavailable

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

STAGE = "table"
THROTTLED = frozenset(
    {
        "ProvisionedThroughputExceededException",
        "RequestLimitExceeded",
        "ThrottlingException",
        "ThrottlingError",
        "TransactionConflictException",
        "TransactionInProgressException",
    }
)
TIMEOUTS = (ConnectTimeoutError, ReadTimeoutError)


def make_client(*, attempts: int = 3) -> "DynamoDBClient":
    """A client whose calls end well before a function's time-out. `attempts` bounds botocore's own
    tries. Requests are checked by the service alone: botocore's own check of a commit of 25 records
    takes a third of what the client takes.
    """
    return boto3.client(
        "dynamodb",
        config=Config(
            connect_timeout=1,
            read_timeout=3,
            max_pool_connections=16,
            retries={"total_max_attempts": attempts, "mode": "standard"},
            tcp_keepalive=True,
            parameter_validation=False,
        ),
    )


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
        raise DeadlineExceeded("the table did not answer in time", stage=STAGE) from error
    except ClientError as error:
        if code_of(error) in THROTTLED:
            raise Throttled("the table asks for patience") from error
        status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 500)
        if status >= 500:  # noqa: PLR2004  # server errors of HTTP
            raise Unavailable("the table failed", stage=STAGE) from error
        raise
    except (EndpointConnectionError, BotoCoreError) as error:
        raise Unavailable("the table cannot be reached", stage=STAGE) from error
