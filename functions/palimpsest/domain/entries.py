"""Index entries: what the projection writes into a search index, and what its legs answer."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from palimpsest.domain.filters import Filter, TimeRange
from palimpsest.domain.records import Content
from palimpsest.domain.vectors import Vector

EntryKey = tuple[str, str]
"""Partition and id."""


class Leg(StrEnum):
    """The two ways of finding a record."""

    LEXICAL = "lexical"
    SEMANTIC = "semantic"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One record in the index. `content` None: a tombstone entry, which is never found.

    `version` is 2 x revision without a vector, 2 x revision + 1 with one; of a tombstone entry
    2 x the revision that removed it + 1. Equal versions mean equal content. `document_id`: of the
    document that a chunk is a part of.
    """

    partition: str
    id: str
    revision: int
    version: int
    content: Content | None = None
    created_at: datetime | None = None
    updated_at: datetime | None = None
    vector: Vector | None = None
    document_id: str | None = None

    @classmethod
    def version_of(cls, revision: int, *, complete: bool) -> int:
        """The version of an entry at `revision`; tombstones and entries with a vector are
        complete.
        """
        return 2 * revision + complete


class WriteOutcome(StrEnum):
    """What became of one entry of a write."""

    APPLIED = "applied"
    STALE = "stale"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class WriteResult:
    """The outcome of one entry; `reason` where it was rejected."""

    id: str
    outcome: WriteOutcome
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class EntryState:
    """An entry as a walk sees it."""

    id: str
    revision: int
    version: int
    tombstone: bool
    vector: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LegQuery:
    """One leg's question: `text` for the lexical leg, `vector` for the semantic one.

    Only entries of `partitions` (distinct) that are no tombstones, valid and unexpired at `now`,
    within `time_range` and passing `filter` are candidates, at most `depth` of them in all; the
    statistics of terms are those of all these partitions together. `fingerprint` is the query
    vector's.
    """

    leg: Leg
    partitions: tuple[str, ...]
    depth: int
    now: datetime
    text: str = ""
    vector: Vector | None = None
    fingerprint: str | None = None
    filter: Filter | None = None
    time_range: TimeRange | None = None


class Candidate(NamedTuple):
    """A found entry: its raw score (BM25, or the cosine -1..1), and the record's revision and text
    found. Ids are unique within a partition only.
    """

    partition: str
    id: str
    score: float
    revision: int
    text_hash: str

    @property
    def key(self) -> EntryKey:
        """What names the entry among those of all partitions."""
        return self[:2]


class LegStatus(StrEnum):
    """How a leg fared."""

    OK = "ok"
    SKIPPED = "skipped"
    TIMEOUT = "timeout"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class LegResult:
    """The answer of a leg. `cut`: there may be more candidates beyond the depth asked for.

    `reason` is given unless the status is `ok`; `no_terms` where a query has no words to look for.
    """

    leg: Leg
    status: LegStatus
    candidates: Sequence[Candidate] = ()
    cut: bool = False
    reason: str | None = None
    ms: float = 0.0
