"""The body of a request: JSON in UTF-8, within its limit, and nothing else."""

import base64
import binascii
import json
import math
from collections.abc import Mapping
from typing import Any, NoReturn

from palimpsest.domain.errors import MalformedRequest, TooLarge, UnsupportedMediaType
from palimpsest.domain.names import MAX_BODY_BYTES

JSON_TYPE = "application/json"
MAX_DEPTH = 64
_EXACT = 2**53
"""Up to here a float holds every whole number."""


def header(event: Mapping[str, Any], name: str) -> str | None:
    """A request header without regard to case (AWS keeps the client's, other gateways do not)."""
    for key, value in (event.get("headers") or {}).items():
        if key.lower() == name:
            return str(value)
    return None


def parse(event: Mapping[str, Any], *, limit: int = MAX_BODY_BYTES) -> Any:
    """The parsed body. Raises `UnsupportedMediaType`, `TooLarge` or `MalformedRequest`."""
    media_type = (header(event, "content-type") or "").partition(";")[0].strip().lower()
    if media_type != JSON_TYPE:
        raise UnsupportedMediaType(f"the body must be {JSON_TYPE}")
    data = _bytes(event)
    if len(data) > limit:
        raise TooLarge(f"the body is larger than {limit} bytes", limit)
    return parse_text(data)


def parse_text(data: bytes) -> Any:
    """The JSON value that these bytes spell. Raises `MalformedRequest`."""
    try:
        body = json.loads(data.decode("utf-8"), parse_constant=_no_number, parse_float=_number)
    except RecursionError as error:
        raise MalformedRequest("the body is nested too deeply") from error
    except ValueError as error:  # UnicodeDecodeError and JSONDecodeError are ValueErrors
        raise MalformedRequest("the body is not JSON in UTF-8") from error
    _check_depth(body)
    return body


def _check_depth(body: Any) -> None:
    """Nothing of the contract nests as deep as `MAX_DEPTH`; what does is not walked any further."""
    level = [body]
    for _ in range(MAX_DEPTH):
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
        if not level:
            return
    raise MalformedRequest("the body is nested too deeply")


def _bytes(event: Mapping[str, Any]) -> bytes:
    body = event.get("body") or ""
    if not event.get("isBase64Encoded"):
        return str(body).encode("utf-8", "surrogatepass")
    try:
        return base64.b64decode(body, validate=True)
    except (binascii.Error, ValueError) as error:
        raise MalformedRequest("the body cannot be decoded") from error


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _number(text: str) -> float:
    """A whole number is an integer however it is written: `1.0` and `1e0` are `1`, as JSON Schema
    says.
    """
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("a number is out of range")
    return int(number) if number.is_integer() and abs(number) <= _EXACT else number
