"""What goes through the fault-injecting proxy."""

from collections.abc import Mapping
from dataclasses import dataclass

JSON = "application/json; charset=UTF-8"


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer; only the first `sent` bytes of its body, where that is given."""

    status: int
    body: bytes
    kind: str = JSON
    sent: int | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """One request as it came."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes
