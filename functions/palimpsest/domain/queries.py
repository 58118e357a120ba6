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
    """One search of 1 to 10 distinct namespaces. Times in milliseconds; `query` is trimmed, clean
    and not blank. `min_revision` is one of every namespace asked.
    """

    tenant: str
    namespaces: tuple[str, ...]
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

    @property
    def partitions(self) -> dict[str, str]:
        """The partitions of the index that are asked, each with its namespace."""
        return {f"{self.tenant}#{namespace}": namespace for namespace in self.namespaces}


@dataclass(frozen=True, slots=True)
class Hit:
    """A fused hit and the record behind it as it is now."""

    fused: FusedHit
    record: Record
    snippet: str


@dataclass(frozen=True, slots=True)
class Revisions:
    """A namespace's clock as a search read it, and how far the index was, never beyond it."""

    corpus: int
    indexed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchAnswer:
    """What a search found and what fell short of it. `revisions` by namespace, in the order asked;
    `timings_ms` by stage.
    """

    request: SearchRequest
    hits: Sequence[Hit]
    score_kind: str
    legs: Mapping[Leg, LegResult]
    degraded: Sequence[str]
    revisions: Mapping[str, Revisions]
    embedding_calls: int
    timings_ms: Mapping[str, float]
    closed_early: bool = False
