"""The parameters that every list has."""

from typing import Annotated

from aws_lambda_powertools.event_handler.openapi.params import Query

DEFAULT_LIMIT = 100
WHOLE_NUMBER = "^[0-9]{1,18}$"

Limit = Annotated[str | None, Query(pattern="^([1-9][0-9]?|100)$")]
CursorParameter = Annotated[str | None, Query(min_length=1)]


def limit_of(limit: str | None) -> int:
    """How many entries a page has at most."""
    return DEFAULT_LIMIT if limit is None else int(limit)
