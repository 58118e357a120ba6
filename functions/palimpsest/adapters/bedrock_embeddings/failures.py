"""botocore's errors as those of Palimpsest."""

from collections.abc import Iterator
from contextlib import contextmanager

from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectionError,  # noqa: A004  # botocore's, which is not the built-in one
    ConnectTimeoutError,
    HTTPClientError,
    IncompleteReadError,
    ReadTimeoutError,
)

from palimpsest.domain.embedding import STAGE, TextRefused
from palimpsest.domain.errors import (
    DeadlineExceeded,
    PalimpsestError,
    ProviderError,
    Throttled,
    Unavailable,
)


def _throttled(message: str) -> PalimpsestError:
    return Throttled(message)


def _unavailable(message: str) -> PalimpsestError:
    return Unavailable(message, stage=STAGE)


def _too_late(message: str) -> PalimpsestError:
    return DeadlineExceeded(message, stage=STAGE)


def _refused(message: str) -> PalimpsestError:
    return TextRefused(message, stage=STAGE)


def _wrong(message: str) -> PalimpsestError:
    return ProviderError(message, stage=STAGE)


CODES = {
    "ThrottlingException": _throttled,
    "TooManyRequestsException": _throttled,
    "ServiceQuotaExceededException": _throttled,
    "ServiceUnavailableException": _unavailable,
    "InternalServerException": _unavailable,
    "ModelNotReadyException": _unavailable,
    "ModelTimeoutException": _too_late,
    "ValidationException": _refused,
}
"""Bedrock's error codes; any other (no access, no such model, a model error) is a `ProviderError`.
"""


@contextmanager
def translated() -> Iterator[None]:
    """Raise ours for theirs."""
    try:
        yield
    except ClientError as error:
        code = error.response.get("Error", {}).get("Code", "unknown")
        raise CODES.get(code, _wrong)(f"Bedrock answered {code}") from error
    except (ConnectTimeoutError, ReadTimeoutError) as error:
        raise _too_late("Bedrock did not answer in time") from error
    except (ConnectionError, HTTPClientError, IncompleteReadError) as error:
        raise _unavailable(f"Bedrock cannot be reached ({type(error).__name__})") from error
    except BotoCoreError as error:
        raise _wrong(f"Bedrock could not be asked ({type(error).__name__})") from error
