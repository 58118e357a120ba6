"""botocore's errors as those of Palimpsest."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectionError,  # noqa: A004  # botocore's, which is not the built-in one
    ConnectTimeoutError,
    HTTPClientError,
    IncompleteReadError,
    ReadTimeoutError,
)

from palimpsest.domain.errors import (
    DeadlineExceeded,
    PalimpsestError,
    ProviderError,
    Throttled,
    Unavailable,
)


@dataclass(frozen=True, slots=True)
class Operation:
    """What Bedrock is asked for, for errors: the `stage` of the request it serves, and what is
    raised where the content of a request is refused.
    """

    stage: str
    refused: type[ProviderError] = ProviderError


THROTTLED = {"ThrottlingException", "TooManyRequestsException", "ServiceQuotaExceededException"}
UNAVAILABLE = {
    "ServiceUnavailableException",
    "InternalServerException",
    "BadGatewayException",
    "ModelNotReadyException",
}
TOO_LATE = "ModelTimeoutException"
REFUSED = "ValidationException"
"""Bedrock's error codes; any other (no access, no such model, a model error) is a `ProviderError`.
"""


@contextmanager
def translated(operation: Operation) -> Iterator[None]:
    """Raise ours for theirs."""
    stage = operation.stage
    try:
        yield
    except ClientError as error:
        code = error.response.get("Error", {}).get("Code", "unknown")
        raise _failure(operation, code) from error
    except (ConnectTimeoutError, ReadTimeoutError) as error:
        raise DeadlineExceeded("Bedrock did not answer in time", stage=stage) from error
    except (ConnectionError, HTTPClientError, IncompleteReadError) as error:
        message = f"Bedrock cannot be reached ({type(error).__name__})"
        raise Unavailable(message, stage=stage) from error
    except BotoCoreError as error:
        message = f"Bedrock could not be asked ({type(error).__name__})"
        raise ProviderError(message, stage=stage) from error


def _failure(operation: Operation, code: str) -> PalimpsestError:
    message = f"Bedrock answered {code}"
    if code in THROTTLED:
        return Throttled(message)
    if code in UNAVAILABLE:
        return Unavailable(message, stage=operation.stage)
    if code == TOO_LATE:
        return DeadlineExceeded(message, stage=operation.stage)
    wrong = operation.refused if code == REFUSED else ProviderError
    return wrong(message, stage=operation.stage)
