"""DynamoDB's errors as botocore raises them, made by botocore's own exception classes."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import botocore.session
from botocore.errorfactory import ClientExceptionsFactory
from botocore.exceptions import ClientError, EndpointConnectionError, ReadTimeoutError

URL = "https://dynamodb.simulated"


@cache
def exceptions() -> Any:
    """What a client has as its `exceptions`."""
    model = botocore.session.get_session().get_service_model("dynamodb")
    return ClientExceptionsFactory().create_client_exceptions(model)


def refused(code: str, operation: str, *, status: int = 400) -> ClientError:
    """An answer that is an error."""
    response: Any = {
        "Error": {"Code": code, "Message": "simulated"},
        "ResponseMetadata": {"HTTPStatusCode": status},
    }
    kind: type[ClientError] = exceptions().from_code(code)
    return kind(response, operation)


def cancelled(reasons: Sequence[str], operation: str) -> ClientError:
    """A cancelled transaction, with one reason a write (`None`: this one was not the cause)."""
    error = refused("TransactionCanceledException", operation)
    told: Any = [{"Code": reason} for reason in reasons]
    error.response["CancellationReasons"] = told
    return error


def no_answer() -> ReadTimeoutError:
    """The answer has not come in time."""
    return ReadTimeoutError(endpoint_url=URL)


def no_connection() -> EndpointConnectionError:
    """Nothing was sent."""
    return EndpointConnectionError(endpoint_url=URL)
