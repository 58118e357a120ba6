"""What every list has: its parameters, and the place at which its next page begins."""

from collections.abc import Sequence
from typing import Annotated, Any

from aws_lambda_powertools.event_handler.openapi.params import Query

from palimpsest.api.cursors import Cursors

DEFAULT_LIMIT = 100
WHOLE_NUMBER = "^[0-9]{1,18}$"

Limit = Annotated[str | None, Query(pattern="^([1-9][0-9]?|100)$")]
Bound = tuple[str | int | None, ...]
"""What tells the request that a cursor belongs to from all others."""

CursorParameter = Annotated[str | None, Query(min_length=1)]


def limit_of(limit: str | None) -> int:
    """How many entries a page has at most."""
    return DEFAULT_LIMIT if limit is None else int(limit)


def place_of(cursors: Cursors, cursor: str | None, bound: Bound) -> list[Any] | None:
    """The place that a cursor names; None for the first page. Raises `CursorMismatch`."""
    return None if cursor is None else cursors.open(cursor, *bound)


def cursor_of(cursors: Cursors, place: Sequence[int | str] | None, bound: Bound) -> str | None:
    """The cursor of the place where the next page begins; None at the end."""
    return None if place is None else cursors.seal(place, *bound)
