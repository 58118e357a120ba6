"""One request to an OpenAI-compatible endpoint: within a time, its failures translated."""

import json
import math
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx

from palimpsest.domain.embedding import STAGE, TextRefused
from palimpsest.domain.errors import (
    DeadlineExceeded,
    PalimpsestError,
    ProviderError,
    Throttled,
    Unavailable,
)

Monotonic = Callable[[], float]

OK = 200
SERVER_ERROR = 500
LONGEST_RETRY_AFTER = 300.0
LONGEST_INTEGER = 20  # digits
SAFE_CODE = re.compile(r"[A-Za-z0-9_.-]{1,64}")


def _throttled(message: str, retry_after: float) -> PalimpsestError:
    return Throttled(message, retry_after=retry_after)


def _unavailable(message: str, retry_after: float) -> PalimpsestError:
    return Unavailable(message, stage=STAGE, retry_after=retry_after)


def _refused(message: str, _retry_after: float) -> PalimpsestError:
    return TextRefused(message, stage=STAGE)


def _wrong(message: str, _retry_after: float) -> PalimpsestError:
    return ProviderError(message, stage=STAGE)


STATUSES = {
    400: _refused,
    408: _unavailable,
    413: _refused,
    422: _refused,
    425: _unavailable,
    429: _throttled,
}
"""Statuses under 500 by what they mean here; any other is a request that will never be answered."""


def post(
    client: httpx.Client,
    url: str,
    body: dict[str, Any],
    *,
    headers: dict[str, str],
    deadline: float,
    monotonic: Monotonic = time.monotonic,
) -> dict[str, Any]:
    """The JSON object that a POST is answered with. `deadline` in the seconds of `monotonic`.

    Connecting, sending and waiting may each take what is left; an answer that trickles in is broken
    off at the deadline. Raises `TextRefused`, `ProviderError`, `Throttled`, `Unavailable` or
    `DeadlineExceeded`; no message holds a text or a key.
    """
    left = deadline - monotonic()
    if left <= 0:
        raise DeadlineExceeded("no time left to embed", stage=STAGE)
    with (
        _translated(),
        client.stream("POST", url, json=body, headers=headers, timeout=left) as response,
    ):
        chunks = []
        for chunk in response.iter_bytes():
            chunks.append(chunk)
            if monotonic() > deadline:
                raise DeadlineExceeded("the embedding endpoint answers too slowly", stage=STAGE)
    data = b"".join(chunks)
    if response.status_code != OK:
        raise _failure(response, data)
    return _object(data)


@contextmanager
def _translated() -> Iterator[None]:
    """Raise ours for those of httpx: too late, not there, or nonsense."""
    try:
        yield
    except httpx.TimeoutException as error:
        raise DeadlineExceeded(
            "the embedding endpoint did not answer in time", stage=STAGE
        ) from error
    except httpx.TransportError as error:
        name = type(error).__name__
        raise Unavailable(
            f"the embedding endpoint cannot be reached ({name})", stage=STAGE
        ) from error
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        name = type(error).__name__
        raise ProviderError(
            f"the embedding endpoint answers nonsense ({name})", stage=STAGE
        ) from error


def _failure(response: httpx.Response, data: bytes) -> PalimpsestError:
    status = response.status_code
    make = STATUSES.get(status, _unavailable if status >= SERVER_ERROR else _wrong)
    message = f"the embedding endpoint answered {status}{_code(data)}"
    return make(message, _retry_after(response.headers.get("Retry-After")))


def _retry_after(value: str | None) -> float:
    """Seconds; 1 unless the header says a number (a date is not worth a clock here)."""
    try:
        seconds = float(value or "")
    except ValueError:
        return 1.0
    return min(seconds, LONGEST_RETRY_AFTER) if math.isfinite(seconds) and seconds >= 0 else 1.0


def _code(data: bytes) -> str:
    """The error's code for a person; its message may repeat the text and is left out."""
    try:
        code = json.loads(data)["error"]["code"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return ""
    return f" ({code})" if isinstance(code, str) and SAFE_CODE.fullmatch(code) else ""


def _number(digits: str) -> int | float:
    """A whole number; one of absurd length as a float, which is infinite at the most."""
    return int(digits) if len(digits) <= LONGEST_INTEGER else float(digits)


def _object(data: bytes) -> dict[str, Any]:
    try:
        answer = json.loads(data, parse_int=_number)
    except (ValueError, RecursionError) as error:
        raise ProviderError("the embedding endpoint answers no JSON", stage=STAGE) from error
    if not isinstance(answer, dict):
        raise ProviderError("the embedding endpoint answers no JSON object", stage=STAGE)
    return answer
