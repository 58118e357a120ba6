"""Where a record that somebody expected was lost on its way through a search."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class LostAt(StrEnum):
    """The stage that lost it, in their order; `returned` if none did.

    `not_indexed`: it has no entry yet, or none on the leg that would have found it.
    `stale_in_index`: its entry is, or was when the search asked, of an older text. `lexical_rank`,
    `semantic_rank`: no leg had it among its candidates; the former where the record has words of
    the question. `fused_out`: below the floor of the blend. `reranked_out`: the reranker moved it
    off the page.
    """

    UNKNOWN = "unknown"
    DELETED = "deleted"
    SUPERSEDED = "superseded"
    EXPIRED = "expired"
    FILTERED = "filtered"
    NOT_INDEXED = "not_indexed"
    STALE_IN_INDEX = "stale_in_index"
    LEXICAL_RANK = "lexical_rank"
    SEMANTIC_RANK = "semantic_rank"
    FUSED_OUT = "fused_out"
    RERANKED_OUT = "reranked_out"
    BELOW_MIN_SCORE = "below_min_score"
    OVER_LIMIT = "over_limit"
    OVER_TOKEN_BUDGET = "over_token_budget"  # noqa: S105  # no secret
    RETURNED = "returned"


@dataclass(frozen=True, slots=True)
class Explained:
    """One expected id: its stage, and what it was like at every stage that it reached."""

    id: str
    stage: LostAt
    stages: Mapping[str, Any]
