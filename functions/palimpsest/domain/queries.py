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


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRequest:
    """One search. Times in milliseconds; `query` is trimmed, clean and not blank."""

    tenant: str
    namespace: str
    query: str
    limit: int = 10
    filter: Filter | None = None
    time_range: TimeRange | None = None
    mode: Mode = Mode.HYBRID
    fusion: Fusion = field(default_factory=Fusion)
    min_revision: int | None = None
    wait_ms: int = 0
    timeout_ms: int = 5000
    explain: bool = False


@dataclass(frozen=True, slots=True)
class Hit:
    """A fused hit and the record behind it as it is now."""

    fused: FusedHit
    record: Record
    snippet: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchAnswer:
    """What a search found and what fell short of it. `timings_ms` by stage."""

    request: SearchRequest
    hits: Sequence[Hit]
    score_kind: str
    legs: Mapping[Leg, LegResult]
    degraded: Sequence[str]
    corpus_revision: int
    indexed_revision: int
    embedding_calls: int
    timings_ms: Mapping[str, float]
    closed_early: bool = False
