"""The HTTP contract of a rewriting."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from palimpsest.api.fields import limited
from palimpsest.api.query_field import Query
from palimpsest.domain.names import MAX_QUERY_BYTES
from palimpsest.domain.rewriting import MOST_VARIATIONS, Turn

MOST_TURNS = 20

Content = Annotated[
    str, limited(MAX_QUERY_BYTES), Field(json_schema_extra={"maxLength": MAX_QUERY_BYTES})
]


class TurnBody(BaseModel):
    """One message of the conversation before the query."""

    model_config = ConfigDict(strict=True, extra="forbid")
    role: Literal["user", "assistant"]
    content: Content


class RewriteBody(BaseModel):
    """A question to be rewritten. Everything but `query` is optional; null means: not given."""

    model_config = ConfigDict(strict=True, extra="forbid")
    query: Query
    history: Annotated[list[TurnBody], Field(max_length=MOST_TURNS)] | None = None
    max_variations: Annotated[int, Field(ge=1, le=MOST_VARIATIONS)] | None = None

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The domain's form of the history."""
        return tuple(Turn(one.role, one.content) for one in self.history or ())


def parts_of(body: dict[str, Any]) -> list[tuple[dict[str, Any], str, str]]:
    """The texts of a body as it came: what holds each, under which name, and what it is called."""
    history = body.get("history")
    turns = enumerate(history if isinstance(history, list) else [])
    return [(body, "query", "query")] + [
        (turn, "content", f"history.{place}.content")
        for place, turn in turns
        if isinstance(turn, dict)
    ]
