"""What a rewriting answers."""

from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import TypedDict

from palimpsest.api.shapes import Count, Warning  # noqa: A004  # the contract's word


class WouldRun(TypedDict):
    """Whether a search left to decide (`deep: auto`) would ask in several ways, and the signals in
    the query for it, each as `kind:word`.
    """

    would_run: bool
    signals: list[str]


class RewriteUsage(TypedDict):
    """What the language model was asked."""

    llm_calls: Count
    llm_tokens: Count


class Rewriting(TypedDict):
    """A question that stands alone, and the ways to ask it, the original first. `reason` unless
    `status` is `ok`: then both are the original.
    """

    query: str
    standalone: str
    variations: Annotated[list[str], Field(min_length=1, max_length=3)]
    deep: WouldRun
    status: Literal["ok", "skipped", "fallback"]
    reason: str | None
    usage: RewriteUsage
    warnings: list[Warning]
