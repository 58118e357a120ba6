"""A search as it was asked for, and the answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from palimpsest.domain.entries import Leg, LegResult
from palimpsest.domain.filters import Filter, TimeRange
from palimpsest.domain.fusion import FusedHit, Fusion
from palimpsest.domain.records import Record


class Mode(StrEnum):
    """Which legs are asked."""

    HYBRID = "hybrid"
    LEXICAL = "lexical"
    SEMANTIC = "semantic"

    @property
    def legs(self) -> tuple[Leg, ...]:
        """The legs of this mode."""
        if self is Mode.HYBRID:
            return (Leg.LEXICAL, Leg.SEMANTIC)
        return (Leg(self.value),)


class SemanticPolicy(StrEnum):
    """When a hybrid search asks its semantic leg: always, only where the lexical one found little,
    or never.
    """

    ALWAYS = "always"
    WHEN_LEXICAL_THIN = "when_lexical_thin"
    NEVER = "never"


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRequest:
    """One search of 1 to 10 distinct namespaces. Times in milliseconds; `query` is trimmed, clean
    and not blank. `min_revision` is one of every namespace asked. `deep` and `rerank` None: as the
    service sees fit.
    """

    tenant: str
    namespaces: tuple[str, ...]
    query: str
    limit: int = 10
    filter: Filter | None = None
    time_range: TimeRange | None = None
    mode: Mode = Mode.HYBRID
    semantic: SemanticPolicy = SemanticPolicy.ALWAYS
    deep: bool | None = None
    fusion: Fusion = field(default_factory=Fusion)
    rerank: bool | None = None
    min_score: float | None = None
    max_tokens: int | None = None
    min_revision: int | None = None
    wait_ms: int = 0
    timeout_ms: int = 5000
    explain: bool = False

    @property
    def partitions(self) -> dict[str, str]:
        """The partitions of the index that are asked, each with its namespace."""
        return {f"{self.tenant}#{namespace}": namespace for namespace in self.namespaces}


@dataclass(frozen=True, slots=True, kw_only=True)
class Deep:
    """In which ways a question was asked: the original first. `used`: there were others. `reason`
    says why, or why not; `fell_short`: the rewriter was asked and gave nothing usable.
    """

    variations: tuple[str, ...]
    reason: str
    used: bool = False
    fell_short: bool = False
    llm_calls: int = 0
    llm_tokens: int = 0
    ms: float = 0.0


class RerankStatus(StrEnum):
    """How reranking fared."""

    OK = "ok"
    OFF = "off"
    SKIPPED = "skipped"
    TIMEOUT = "timeout"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Reranked:
    """How reranking fared; `reason` unless the status is `ok`, `model` where it is."""

    status: RerankStatus
    reason: str | None = None
    model: str | None = None
    calls: int = 0
    ms: float = 0.0

    @property
    def fell_short(self) -> bool:
        """Whether a reranker was asked and could not answer."""
        return self.status in (RerankStatus.FAILED, RerankStatus.TIMEOUT)


@dataclass(frozen=True, slots=True)
class Hit:
    """A fused hit and the record behind it as it is now. `text` where the record's own was cut."""

    fused: FusedHit
    record: Record
    snippet: str
    text: str | None = None


@dataclass(frozen=True, slots=True)
class Revisions:
    """A namespace's clock as a search read it, and how far the index was, never beyond it."""

    corpus: int
    indexed: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """How the stages of a search fared, for an answer and for its later pages."""

    legs: Mapping[Leg, LegResult]
    deep: Deep
    rerank: Reranked
    degraded: Sequence[str]


@dataclass(frozen=True, slots=True)
class Rest:
    """What a page has left: the list from there on, the name of its scores, of which index
    generation, and how that list came to be.
    """

    hits: Sequence[FusedHit]
    score_kind: str
    generation: str
    outcome: Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What models were asked."""

    embedding_calls: int = 0
    embedding_cache_hits: int = 0
    llm_calls: int = 0
    llm_tokens: int = 0
    rerank_calls: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchAnswer:
    """What a search found and what fell short of it. `revisions` by namespace, in the order asked;
    `timings_ms` by stage; `rest` where there is more. `warnings` are codes by field.
    """

    request: SearchRequest
    hits: Sequence[Hit]
    score_kind: str
    outcome: Outcome
    revisions: Mapping[str, Revisions]
    usage: Usage
    timings_ms: Mapping[str, float]
    closed_early: bool = False
    rest: Rest | None = None
    warnings: Sequence[tuple[str, str]] = ()

    @property
    def legs(self) -> Mapping[Leg, LegResult]:
        """How the legs fared."""
        return self.outcome.legs

    @property
    def degraded(self) -> Sequence[str]:
        """Every stage that fell short."""
        return self.outcome.degraded
