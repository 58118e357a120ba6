"""What the routes of search answer when they succeed."""

from typing import Annotated, Any, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from palimpsest.api.shapes import (
    ChunkPlace,
    Count,
    Cursor,
    Instant,
    MetadataValue,
    Revision,
    Source,
    Warning,  # noqa: A004  # the contract's word
)

ScoreKind = Annotated[str, Field(pattern=r"^(weighted|rrf|blend|bm25|cosine|rerank:.+)$")]
Stage = Literal[
    "lexical", "semantic", "rewrite", "rerank", "hydrate_partial", "stale_index", "snapshot"
]
LostStage = Literal[
    "unknown",
    "deleted",
    "superseded",
    "expired",
    "filtered",
    "not_indexed",
    "stale_in_index",
    "lexical_rank",
    "semantic_rank",
    "fused_out",
    "reranked_out",
    "below_min_score",
    "over_limit",
    "over_token_budget",
    "returned",
]
Milliseconds = Annotated[float, Field(ge=0)]


class LegRank(TypedDict):
    """Where a leg had a hit: its rank from 1, and the leg's own score (of semantic: the cosine)."""

    rank: Annotated[int, Field(ge=1)]
    score: float


class HitLegs(TypedDict):
    """The legs that were asked; null where a leg did not have the hit."""

    lexical: NotRequired[LegRank | None]
    semantic: NotRequired[LegRank | None]


class Hit(TypedDict):
    """One hit, as its record is now. `score` is the number that ordered the list."""

    id: str
    namespace: str
    revision: Revision
    score: float
    text: str
    title: str | None
    kind: str | None
    metadata: dict[str, MetadataValue]
    event_time: Instant | None
    source: Source | None
    document: ChunkPlace | None
    snippet: str
    truncated: bool
    legs: HitLegs
    explain: NotRequired[dict[str, Any]]


class LegOutcome(TypedDict):
    """How a leg fared; all but `ok` with its reason."""

    status: Literal["ok", "skipped", "timeout", "failed"]
    hits: Count
    ms: Milliseconds
    reason: NotRequired[str]


class LegOutcomes(TypedDict):
    """How both legs fared."""

    lexical: LegOutcome
    semantic: LegOutcome


class Deep(TypedDict):
    """Whether variations of the query were searched, which, and why (not)."""

    used: bool
    variations: list[str]
    reason: str | None


class RerankOutcome(TypedDict):
    """How reranking fared; the model's name where it gave the order, else the reason."""

    status: Literal["ok", "off", "skipped", "timeout", "failed"]
    reason: NotRequired[str]
    model: NotRequired[str]


class Revisions(TypedDict):
    """The namespace's clock, and how far the index was."""

    corpus: Revision
    indexed: Revision


class Usage(TypedDict):
    """What models were asked for this search."""

    embedding_calls: Count
    embedding_cache_hits: Count
    llm_calls: Count
    llm_tokens: Count
    rerank_calls: Count


class SearchAnswer(TypedDict):
    """What a search found and what fell short of it. Of several namespaces `revision` is a map by
    namespace.
    """

    query: str
    hits: list[Hit]
    score_kind: ScoreKind
    deep: Deep
    legs: LegOutcomes
    rerank: RerankOutcome
    degraded: list[Stage]
    revision: Revisions | dict[str, Revisions]
    warnings: list[Warning]
    usage: Usage
    timings_ms: dict[str, Milliseconds]
    next_cursor: Cursor


class StageRank(TypedDict):
    """Where a stage had a record; without a rank beyond what it was asked for."""

    rank: Annotated[int, Field(ge=1)] | None
    score: float


class RecordStage(TypedDict):
    """The record in the table, in the namespace where it came furthest."""

    namespace: str
    status: Literal["active", "superseded", "deleted"]
    revision: Revision


class IndexStage(TypedDict):
    """The legs on which the index can find it."""

    legs: list[Literal["lexical", "semantic"]]


class Stages(TypedDict):
    """What an expected record was like at each stage that it reached; null where one had it not."""

    record: RecordStage | None
    index: NotRequired[IndexStage]
    lexical: NotRequired[StageRank | None]
    semantic: NotRequired[StageRank | None]
    fused: NotRequired[StageRank | None]
    rerank: NotRequired[StageRank | None]


class Expected(TypedDict):
    """An expected id, and the stage that lost it."""

    id: str
    stage: LostStage
    stages: Stages


class Explanation(TypedDict):
    """Every expected id in the order asked, and the search itself."""

    expected: list[Expected]
    search: SearchAnswer


class Found(TypedDict):
    """How much of a forgotten record each place still has."""

    lexical: Count
    semantic: Count
    history: Count
    vectors: Count
    ledger: Count


class Outside(TypedDict):
    """A place that a receipt does not speak for."""

    what: str
    detail: str


class Receipt(TypedDict):
    """What a search of every leg, history, vectors and ledger still finds of a forgotten id."""

    id: str
    revision: Revision
    found: Found
    erased: bool
    outside: list[Outside]


class Dependency(TypedDict):
    """One dependency, and how long its answer took."""

    status: Literal["ok", "failed", "timeout"]
    ms: Milliseconds
    reason: NotRequired[str]


class Ready(TypedDict):
    """Whether every dependency answers: `table`, `index`, `embedder`."""

    status: Literal["ok", "degraded"]
    dependencies: dict[str, Dependency]
