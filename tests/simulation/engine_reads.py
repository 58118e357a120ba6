"""The adapter's index with its reads answered by the simulated engine: searches, walks, heights.

Everything else of it is real: which index is read, how that is remembered, its writes and their
repetitions, the catalogue.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from palimpsest.adapters.opensearch.catalogue import Catalogue
from palimpsest.adapters.opensearch.client import STAGE, Missing
from palimpsest.adapters.opensearch.documents import document_id, term_token
from palimpsest.adapters.opensearch.generations import OpenSearchGenerations
from palimpsest.adapters.opensearch.index import OpenSearchIndex
from palimpsest.domain.analysis import terms
from palimpsest.domain.entries import (
    Candidate,
    Entry,
    EntryState,
    Leg,
    LegQuery,
    LegResult,
    LegStatus,
    WriteOutcome,
    WriteResult,
)
from palimpsest.domain.errors import DeadlineExceeded, Throttled, Unavailable
from palimpsest.domain.generations import Generation
from palimpsest.domain.instants import to_millis
from simulation.engine import Document, Engine, EngineIndex
from simulation.engine_client import SimulatedOpenSearch
from simulation.faults import Fault
from simulation.gate import Gate
from simulation.scheduling import Violated

DIGITS = 9
PREFIX = "sim"
PATIENCE_S = 20.0


class EngineReads:
    """What reads ask of the engine."""

    def __init__(self, engine: Engine, gate: Gate) -> None:
        self._engine = engine
        self._gate = gate

    def index(self, name: str, what: str) -> EngineIndex:
        """The index of that name, read at this moment. Raises `Missing` and the engine's faults."""
        fault = self._gate.enter("index.read", f"{what} {name}")
        if fault is Fault.TIMEOUT:
            raise DeadlineExceeded("simulated", stage=STAGE)
        if fault is Fault.THROTTLED:
            raise Throttled("simulated")
        if fault is not None:
            raise Unavailable("simulated", stage=STAGE)
        found = self._engine.named(name)
        if not found:
            raise Missing("simulated")
        self._engine.maybe_refresh(found[0])
        return found[0]

    def check_newer(self, entry: Entry) -> None:
        """Raises `Violated` where an entry was called stale, and one of its very version stands."""
        name = document_id(entry.partition, entry.id)
        if any(name in index.damaged for index in self._engine.indices.values()):
            return
        standing = [
            index.documents[name].version
            for index in self._engine.indices.values()
            if name in index.documents
        ]
        if standing and max(standing) <= entry.version:
            raise Violated("stale means newer", f"{name} {entry.version} was refused: {standing}")

    def asked(
        self, standing: Generation, queries: Sequence[LegQuery], *, end: float
    ) -> list[LegResult]:
        """As `Asker.asked`."""
        late = LegStatus.TIMEOUT
        try:
            index = self.index(standing.name, "search")
        except DeadlineExceeded:
            return [LegResult(leg=one.leg, status=late, reason="timeout") for one in queries]
        if self._gate.scheduler.clock.monotonic() >= end:
            return [LegResult(leg=one.leg, status=late, reason="timeout") for one in queries]
        return [_answer(index, standing, one) for one in queries]


class SimulatedIndex(OpenSearchIndex):
    """`OpenSearchIndex` that reads from the simulated engine."""

    def __init__(self, reads: EngineReads, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self._reads = reads
        self._asker: Any = reads

    def write(self, entries: Sequence[Entry], *, visible: bool = True) -> list[WriteResult]:
        results = super().write(entries, visible=visible)
        for entry, result in zip(entries, results, strict=True):
            if result.outcome is WriteOutcome.STALE:
                self._reads.check_newer(entry)
        return results

    def walk(self, partition: str) -> Iterator[EntryState]:
        for one in self._reads.index(self._standing().name, "walk").of(partition):
            yield EntryState(
                one.id,
                int(one.source["revision"]),
                int(one.source["version"]),
                tombstone=one.tombstone,
                vector="vector" in one.source,
            )

    def strays(self, partition: str, *, remove: bool = False) -> int:
        index = self._reads.index(self._standing().name, "strays")
        beside = [name for name, one in index.strays.items() if one.partition == partition]
        for name in beside if remove else ():
            del index.strays[name], index.damaged[name]
        return len(beside)

    def legs(self, partition: str, record_id: str) -> frozenset[Leg]:
        def found(standing: Generation) -> frozenset[Leg]:
            index = self._reads.index(standing.name, "legs")
            one = next((one for one in index.of(partition) if one.id == record_id), None)
            fields = {Leg.LEXICAL: "terms", Leg.SEMANTIC: "vector"}
            held = [leg for leg, name in fields.items() if one is not None and name in one.source]
            return frozenset(held)

        return self._with_standing(found)

    def heights(self) -> Iterator[tuple[str, int]]:
        highest: dict[str, int] = {}
        index = self._reads.index(self._standing().name, "heights")
        for one in index.visible.values():
            highest[one.partition] = max(highest.get(one.partition, 0), one.version // 2)
        yield from highest.items()


class SimulatedGenerations(OpenSearchGenerations):
    """`OpenSearchGenerations` whose indices read from the simulated engine."""

    __slots__ = ("reads",)
    reads: EngineReads

    def __init__(self, engine: Engine, gate: Gate) -> None:
        client: Any = SimulatedOpenSearch(engine, gate)
        super().__init__(client, Catalogue(client, prefix=PREFIX))
        object.__setattr__(self, "reads", EngineReads(engine, gate))

    def index(self, one: Generation) -> SimulatedIndex:
        return SimulatedIndex(self.reads, self.client, self.catalogue, pinned=one)

    def reading(self, *, patience_s: float) -> SimulatedIndex:
        return SimulatedIndex(self.reads, self.client, self.catalogue, patience_s=patience_s)


def _answer(index: EngineIndex, standing: Generation, query: LegQuery) -> LegResult:
    if query.leg is Leg.SEMANTIC and query.fingerprint != standing.fingerprint:
        status, reason = LegStatus.FAILED, "fingerprint_mismatch"
        return LegResult(leg=query.leg, status=status, reason=reason)
    words = [term_token(term) for term in dict.fromkeys(terms(query.text))]
    if query.leg is Leg.LEXICAL and not words:
        return LegResult(leg=query.leg, status=LegStatus.SKIPPED, reason="no_terms")
    rows = []
    for one in index.visible.values():
        if one.partition not in query.partitions or one.tombstone or not _valid(one, query.now):
            continue
        score = _score(one, words, query)
        if score is not None:
            rows.append((-round(score, DIGITS), one.id, one.partition, one))
    rows.sort(key=lambda row: row[:3])
    found = [
        Candidate(where, name, -score, int(one.source["revision"]), str(one.source["text_hash"]))
        for score, name, where, one in rows[: query.depth]
    ]
    cut = len(rows) > query.depth
    return LegResult(leg=query.leg, status=LegStatus.OK, candidates=found, cut=cut)


def _score(one: Document, words: Sequence[str], query: LegQuery) -> float | None:
    if query.leg is Leg.LEXICAL:
        said = [one.terms[word] for word in words if word in one.terms]
        return float(sum(said)) if said else None
    vector = one.source.get("vector")
    if vector is None or query.vector is None:
        return None
    return float(sum(a * b for a, b in zip(vector, query.vector, strict=True)))


def _valid(one: Document, now: datetime) -> bool:
    at = to_millis(now)
    begun = bool(one.source.get("valid_from", at) <= at)
    return begun and at < int(one.source.get("until", at + 1))
