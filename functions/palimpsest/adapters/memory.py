"""Adapters that keep everything in memory, for unit tests: the contract as plainly as it can be
said.
"""

import secrets
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import islice

from palimpsest.domain.analysis import terms
from palimpsest.domain.entries import (
    Candidate,
    Entry,
    EntryKey,
    EntryState,
    Leg,
    LegQuery,
    LegResult,
    LegStatus,
    WriteOutcome,
    WriteResult,
)
from palimpsest.domain.errors import EmbeddingRejected, GenerationGone
from palimpsest.domain.filters import Filter, passes
from palimpsest.domain.ledger import Reading
from palimpsest.domain.lexical import (
    COMMON_SHARE,
    FieldCounts,
    FieldWeights,
    common_terms,
    field_counts,
    idf,
    saturated,
)
from palimpsest.domain.records import Content, Record, Status
from palimpsest.domain.vectors import Vector, from_float16, to_float16, unit

_DIGITS = 9
_ANY_TIME = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class _Stored:
    """An entry with its terms and its vector as it is at rest."""

    entry: Entry
    content: Content
    counts: Mapping[str, FieldCounts]
    vector: Vector | None

    @property
    def key(self) -> EntryKey:
        return self.entry.partition, self.entry.id

    @property
    def length(self) -> int:
        return sum(map(sum, self.counts.values()))


@dataclass(slots=True, kw_only=True)
class MemoryIndex:
    """`SearchIndex` over dictionaries: BM25 and cosine of every entry, one after another.

    `fingerprint` names the embedding model; the first vector written fixes the width of all.
    """

    fingerprint: str
    weights: FieldWeights = field(default_factory=FieldWeights)
    common_share: float = COMMON_SHARE
    keeps_time: bool = False
    _generation: str = field(default_factory=lambda: f"memory-{secrets.token_hex(8)}")
    _dimension: int | None = None
    _entries: dict[str, dict[str, Entry]] = field(default_factory=dict)
    _stored: dict[str, dict[str, _Stored]] = field(default_factory=dict)

    def generation(self) -> str:
        """As in `SearchIndex`."""
        return self._generation

    def reading(self, *, timeout: float | None = None) -> Reading:  # noqa: ARG002
        """As in `SearchIndex`."""
        return Reading(self._generation, self.fingerprint)

    def write(self, entries: Sequence[Entry], *, visible: bool = True) -> list[WriteResult]:  # noqa: ARG002
        """As in `SearchIndex`; everything is visible at once."""
        return [self._write(entry) for entry in entries]

    def refresh(self) -> None:
        """As in `SearchIndex`: nothing is left to do."""

    def search(
        self,
        queries: Sequence[LegQuery],
        *,
        timeout: float,
        generation: str | None = None,
    ) -> list[LegResult]:
        """As in `SearchIndex`; without a positive `timeout` every leg is out of time."""
        if generation not in (None, self._generation):
            raise GenerationGone("the index was replaced meanwhile", stage="index")
        if timeout <= 0:
            late = LegStatus.TIMEOUT
            return [LegResult(leg=query.leg, status=late, reason="timeout") for query in queries]
        return [
            self._lexical(query) if query.leg is Leg.LEXICAL else self._semantic(query)
            for query in queries
        ]

    def walk(self, partition: str) -> Iterator[EntryState]:
        """As in `SearchIndex`."""
        for entry_id, entry in sorted(self._entries.get(partition, {}).items()):
            gone = entry.content is None
            vector = not gone and entry.vector is not None
            yield EntryState(entry_id, entry.revision, entry.version, gone, vector)

    def strays(self, partition: str, *, remove: bool = False) -> int:  # noqa: ARG002
        """As in `SearchIndex`: a dictionary has one entry an id."""
        return 0

    def legs(self, partition: str, record_id: str) -> frozenset[Leg]:
        """As in `SearchIndex`."""
        one = self._stored.get(partition, {}).get(record_id)
        if one is None:
            return frozenset()
        return frozenset(Leg) if one.vector is not None else frozenset({Leg.LEXICAL})

    def matching(self, partition: str, where: Filter, *, after: str = "", limit: int) -> list[str]:
        """As in `SearchIndex`."""
        stored = self._stored.get(partition, {})
        later = (one for one in sorted(stored) if one > after)
        return list(islice((one for one in later if passes(_record(stored[one]), where)), limit))

    def heights(self) -> Iterator[tuple[str, int]]:
        """As in `SearchIndex`."""
        for partition, entries in self._entries.items():
            yield partition, max(entry.version for entry in entries.values()) // 2

    def renew(self) -> str:
        """As in `SearchIndex`."""
        self._generation = f"memory-{secrets.token_hex(8)}"
        self._entries, self._stored, self._dimension = {}, {}, None
        return self._generation

    def _write(self, entry: Entry) -> WriteResult:
        vector = None
        if entry.vector is not None and entry.content is not None:
            dimension = self._dimension or len(entry.vector)
            try:
                at_rest = to_float16(unit(entry.vector, dimension=dimension))
            except EmbeddingRejected as error:
                return WriteResult(entry.id, WriteOutcome.REJECTED, error.reason)
            self._dimension = dimension
            vector = from_float16(at_rest, dimension=dimension)
        standing = self._entries.setdefault(entry.partition, {})
        if entry.id in standing and standing[entry.id].version > entry.version:
            return WriteResult(entry.id, WriteOutcome.STALE)
        standing[entry.id] = entry
        stored = self._stored.setdefault(entry.partition, {})
        stored.pop(entry.id, None)
        if entry.content is not None:
            counts = field_counts(entry.content)
            stored[entry.id] = _Stored(entry, entry.content, counts, vector)
        return WriteResult(entry.id, WriteOutcome.APPLIED)

    def _lexical(self, query: LegQuery) -> LegResult:
        words = list(dict.fromkeys(terms(query.text)))
        if not words:
            return LegResult(leg=query.leg, status=LegStatus.SKIPPED, reason="no_terms")
        stored = self._asked(query)
        holding = Counter(word for one in stored for word in words if word in one.counts)
        common = common_terms(holding, len(stored), share=self.common_share)
        average = sum(one.length for one in stored) / max(len(stored), 1)
        found = {}
        for one in stored:
            said = {word: self.weights.of(one.counts[word]) for word in words if word in one.counts}
            if said.keys() - common and _allowed(query, one):
                found[one.key] = sum(
                    idf(len(stored), holding[word])
                    * saturated(frequency, length=one.length, average=average)
                    for word, frequency in said.items()
                )
        return self._result(query, found)

    def _semantic(self, query: LegQuery) -> LegResult:
        if query.vector is None:
            return LegResult(leg=query.leg, status=LegStatus.SKIPPED, reason="no_vector")
        wide = self._dimension is not None and len(query.vector) != self._dimension
        if wide or query.fingerprint != self.fingerprint:
            reason = "fingerprint_mismatch"
            return LegResult(leg=query.leg, status=LegStatus.FAILED, reason=reason)
        try:
            asked = unit(query.vector, dimension=len(query.vector))
        except EmbeddingRejected:
            return LegResult(leg=query.leg, status=LegStatus.FAILED, reason="unusable_vector")
        found = {}
        for one in self._asked(query):
            if one.vector is not None and _allowed(query, one):
                cosine = sum(a * b for a, b in zip(asked, one.vector, strict=True))
                found[one.key] = max(-1.0, min(1.0, cosine))
        return self._result(query, found)

    def _asked(self, query: LegQuery) -> list[_Stored]:
        return [one for name in query.partitions for one in self._stored.get(name, {}).values()]

    def _result(self, query: LegQuery, found: Mapping[EntryKey, float]) -> LegResult:
        rows = [(-round(score, _DIGITS), key[1], key[0]) for key, score in found.items()]
        candidates = []
        for score, entry_id, partition in sorted(rows)[: query.depth]:
            one = self._stored[partition][entry_id]
            text_hash = one.content.text_hash
            candidates.append(Candidate(partition, entry_id, -score, one.entry.revision, text_hash))
        cut = len(rows) > query.depth
        return LegResult(leg=query.leg, status=LegStatus.OK, candidates=candidates, cut=cut)


def _allowed(query: LegQuery, one: _Stored) -> bool:
    content = one.content
    valid = (
        (content.valid_from is None or content.valid_from <= query.now)
        and (content.valid_to is None or query.now < content.valid_to)
        and (content.expires_at is None or query.now < content.expires_at)
    )
    in_range = query.time_range is None or query.time_range.holds(content.event_time)
    return valid and in_range and passes(_record(one), query.filter)


def _record(one: _Stored) -> Record:
    """As much of the record as a filter looks at."""
    return Record(
        id=one.entry.id,
        namespace="",
        revision=one.entry.revision,
        status=Status.ACTIVE,
        content=one.content,
        created_at=one.entry.created_at or _ANY_TIME,
        updated_at=one.entry.updated_at or _ANY_TIME,
    )
