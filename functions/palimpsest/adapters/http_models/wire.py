"""One request to a model's HTTP endpoint: within a time, its failures translated."""

import json
import math
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import httpx

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
LOOPBACK = ("127.0.0.1", "::1", "localhost")
SAFE_CODE = re.compile(r"[A-Za-z0-9_.-]{1,64}")

TOO_EARLY, THROTTLED, TIMED_OUT = 425, 429, 408
REFUSED = {400, 413, 422}
"""Statuses of a request whose content the endpoint does not take."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """What is asked, for errors: the `stage` of the request it serves, what a person calls it, and
    what is raised where it refuses the content of a request.
    """

    stage: str
    name: str
    refused: type[ProviderError] = ProviderError

    def late(self) -> DeadlineExceeded:
        """It did not answer in time."""
        return DeadlineExceeded(f"{self.name} did not answer in time", stage=self.stage)

    def nonsense(self, what: str) -> ProviderError:
        """Its answer cannot be used."""
        return ProviderError(f"{self.name} answers {what}", stage=self.stage)


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back, whatever its status."""

    status: int
    headers: httpx.Headers
    data: bytes


def own_client(base_url: str) -> httpx.Client:
    """A client for an endpoint. What the environment says of proxies does not hold for this machine
    itself.
    """
    return httpx.Client(trust_env=urlsplit(base_url).hostname not in LOOPBACK)


def post(
    client: httpx.Client,
    url: str,
    body: dict[str, Any],
    *,
    endpoint: Endpoint,
    headers: dict[str, str],
    deadline: float,
    monotonic: Monotonic = time.monotonic,
) -> dict[str, Any]:
    """The JSON object that a POST is answered with; all else as `exchange` and `accepted`."""
    answer = exchange(
        client,
        url,
        body,
        endpoint=endpoint,
        headers=headers,
        deadline=deadline,
        monotonic=monotonic,
    )
    return accepted(endpoint, answer)


def exchange(
    client: httpx.Client,
    url: str,
    body: dict[str, Any],
    *,
    endpoint: Endpoint,
    headers: dict[str, str],
    deadline: float,
    monotonic: Monotonic = time.monotonic,
) -> Answer:
    """What a POST is answered with, whatever its status. `deadline` in the seconds of `monotonic`.

    Connecting, sending and waiting may each take what is left; an answer that trickles in is broken
    off at the deadline. Raises `ProviderError`, `Unavailable` or `DeadlineExceeded`; no message
    holds a text or a key.
    """
    left = deadline - monotonic()
    if left <= 0:
        raise endpoint.late()
    with (
        _translated(endpoint),
        client.stream("POST", url, json=body, headers=headers, timeout=left) as response,
    ):
        chunks = []
        for chunk in response.iter_bytes():
            chunks.append(chunk)
            if monotonic() > deadline:
                raise endpoint.late()
    return Answer(response.status_code, response.headers, b"".join(chunks))


def accepted(endpoint: Endpoint, answer: Answer) -> dict[str, Any]:
    """The JSON object of an answer; all else as `accepted_json`."""
    read = accepted_json(endpoint, answer)
    if not isinstance(read, dict):
        raise endpoint.nonsense("no JSON object")
    return read


def accepted_json(endpoint: Endpoint, answer: Answer) -> object:
    """The JSON of an answer. Raises for another answer or a failure: `ProviderError` (or the
    endpoint's `refused`), `Throttled` or `Unavailable`.
    """
    if answer.status != OK:
        raise _failure(endpoint, answer)
    try:
        return json.loads(answer.data, parse_int=_number)
    except (ValueError, RecursionError) as error:
        raise endpoint.nonsense("no JSON") from error


@contextmanager
def _translated(endpoint: Endpoint) -> Iterator[None]:
    """Raise ours for those of httpx: too late, not there, or nonsense."""
    try:
        yield
    except httpx.TimeoutException as error:
        raise endpoint.late() from error
    except httpx.TransportError as error:
        message = f"{endpoint.name} cannot be reached ({type(error).__name__})"
        raise Unavailable(message, stage=endpoint.stage) from error
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise endpoint.nonsense(f"nonsense ({type(error).__name__})") from error


def _failure(endpoint: Endpoint, answer: Answer) -> PalimpsestError:
    status = answer.status
    message = f"{endpoint.name} answered {status}{_code(answer.data)}"
    patience = _retry_after(answer.headers.get("Retry-After"))
    if status == THROTTLED:
        return Throttled(message, retry_after=patience)
    if status in {TIMED_OUT, TOO_EARLY} or status >= SERVER_ERROR:
        return Unavailable(message, stage=endpoint.stage, retry_after=patience)
    wrong = endpoint.refused if status in REFUSED else ProviderError
    return wrong(message, stage=endpoint.stage)


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
