"""Projection: carries records into the search index, by the commit log, in any order and any number
of times.

The log says which records changed; the records are read again and the index is told what they are
now. So a wake-up may be lost, doubled or late, and two projections may run at once: versions settle
it.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from palimpsest.domain.commits import Clock as NamespaceClock
from palimpsest.domain.commits import LogEntry
from palimpsest.domain.entries import Entry, WriteOutcome, WriteResult
from palimpsest.domain.errors import Unavailable
from palimpsest.domain.ledger import LedgerEntry, Reason
from palimpsest.domain.records import Record
from palimpsest.domain.vectors import Vector
from palimpsest.domain.visibility import is_indexed
from palimpsest.ports import (
    Clock,
    Executor,
    GenerationRegister,
    IndexLedger,
    Pending,
    RecordStore,
    SearchIndex,
)
from palimpsest.services.embed_records import EmbeddedRecords, RecordEmbedding

LOG_PAGE = 100
WRITE_BATCH = 250
UNDER_WAY = 1
"""Batches that are being written while the next one is read and prepared."""
REREADS = 20
REREAD_PAUSE_S = 0.02


@dataclass(frozen=True, slots=True)
class Projected:
    """What a projection did: the revision reached and the texts embedded for it."""

    revision: int
    embedded: int


@dataclass(frozen=True, slots=True)
class _Written:
    """A batch on its way into the index."""

    entries: Sequence[Entry]
    vectors: EmbeddedRecords
    pending: Pending[list[WriteResult]]


@dataclass(frozen=True, slots=True)
class ProjectService:
    """Brings one namespace's entries in line with its records, in one generation of the index:
    the one that is `read`, or one that is kept beside it.
    """

    store: RecordStore
    ledger: IndexLedger
    index: SearchIndex
    embedding: RecordEmbedding
    register: GenerationRegister
    executor: Executor
    clock: Clock
    read: bool = True

    def project(
        self,
        tenant: str,
        namespace: str,
        *,
        retry_pending: bool = False,
        upto: float = math.inf,
        until: float = math.inf,
    ) -> Projected:
        """Carry what the log has after the indexed revision into the index: as far as `upto`, until
        `until` (monotonic seconds), else for as long as others write; on request retry what waits.

        Raises `Unavailable` if table or index cannot answer; what was carried until then stays
        carried. An embedder that fails never raises: its records are found by their words and stand
        in the ledger.
        """
        generation = self._generation()
        progress = self.ledger.progress(tenant, namespace, generation)
        revision, asked = progress.revision, progress.retry_asked
        target = 0 if revision else self.store.read(tenant, namespace)[0].revision
        embedded, outage = 0, None
        while revision < upto and (
            page := self.store.log(tenant, namespace, after=revision, limit=LOG_PAGE)
        ):
            carried = self._carry(tenant, namespace, generation, _newest(page), outage=outage)
            embedded, outage = embedded + carried.embedded, carried.outage
            revision = page[-1].revision
            self.ledger.advance(tenant, namespace, generation, revision, target=target)
            if self.clock.monotonic() >= until:
                break
        if (retry_pending or asked) and outage is None:
            again = self._again(tenant, namespace, generation, whatever_reason=asked is not None)
            embedded += self._carry(tenant, namespace, generation, again, outage=None).embedded
            if asked is not None:
                self.ledger.retry_done(tenant, namespace, generation, asked=asked)
        return Projected(revision=revision, embedded=embedded)

    def _generation(self) -> str:
        """That of the index, which the table knows from now on if it is the one that is read."""
        reading = self.index.reading()
        if reading.fingerprint != self.embedding.embedder.fingerprint:
            raise Unavailable("the index is made for another embedding model", stage="index")
        if self.read and self.register.reading() != reading:
            self.register.use(reading)
        return reading.generation

    def carry(self, tenant: str, namespace: str, wanted: Mapping[str, int]) -> Projected:
        """Write these records into the index as they are now, whatever it has of them; `wanted`
        tells the revision each must at least have. Raises as `project`.
        """
        generation = self.index.reading().generation
        carried = self._carry(tenant, namespace, generation, wanted, outage=None)
        return Projected(
            revision=self.ledger.progress(tenant, namespace, generation).revision,
            embedded=carried.embedded,
        )

    def _again(
        self, tenant: str, namespace: str, generation: str, *, whatever_reason: bool
    ) -> dict[str, int]:
        """What of the ledger is tried again: what waits, or on request all of it."""
        return {
            entry.id: entry.revision
            for entry in self.ledger.unsearchable(tenant, namespace, generation)
            if whatever_reason or entry.reason is Reason.PENDING
        }

    def _carry(
        self,
        tenant: str,
        namespace: str,
        generation: str,
        wanted: Mapping[str, int],
        *,
        outage: str | None,
    ) -> EmbeddedRecords:
        """Write what these records are now; `wanted` tells the revision each must at least have. On
        return they are visible, and the ledger says which are not wholly so.
        """
        embedded, ids = 0, sorted(wanted)
        add: list[LedgerEntry] = []
        clear: dict[str, int] = {}
        written: list[_Written] = []
        for start in range(0, len(ids), WRITE_BATCH):
            batch = {record_id: wanted[record_id] for record_id in ids[start : start + WRITE_BATCH]}
            clock, records = self._settled(tenant, namespace, batch)
            standing = {i: r for i, r in records.items() if is_indexed(r, clock)}
            vectors = self.embedding.vectors(tenant, namespace, standing, outage=outage)
            entries = [
                entry_of(f"{tenant}#{namespace}", record, clock, vectors.found.get(record.id))
                for record in records.values()
            ]
            pending = self.executor.submit(partial(self.index.write, entries, visible=False))
            written.append(_Written(entries, vectors, pending))
            if len(written) > UNDER_WAY:
                _add(self._outcome(written.pop(0)), add, clear)
            embedded, outage = embedded + vectors.embedded, vectors.outage
        for one in written:
            _add(self._outcome(one), add, clear)
        if ids:
            self.index.refresh()
            self.ledger.settle(tenant, namespace, generation, add=add, clear=clear)
        return EmbeddedRecords(embedded=embedded, outage=outage)

    def _settled(
        self, tenant: str, namespace: str, wanted: Mapping[str, int]
    ) -> tuple[NamespaceClock, dict[str, Record]]:
        """The records, none older than its log entry (a commit's items may be seen one by one).
        What was purged may be gone.
        """
        for _ in range(REREADS):
            clock, records = self.store.read(tenant, namespace, list(wanted))
            late = [
                record_id
                for record_id, at_least in wanted.items()
                if at_least > clock.floor and _revision(records.get(record_id)) < at_least
            ]
            if not late:
                return clock, records
            self.clock.sleep(REREAD_PAUSE_S)
        raise Unavailable("the table shows a commit's log but not its records", stage="table")

    def _outcome(self, written: _Written) -> tuple[list[LedgerEntry], dict[str, int]]:
        """What the ledger must say of these entries, and which ones it must no longer name."""
        results, missing = written.pending.result(), written.vectors.missing
        now = self.clock.now()
        add: list[LedgerEntry] = []
        clear: dict[str, int] = {}
        for entry, result in zip(written.entries, results, strict=True):
            if result.outcome is WriteOutcome.REJECTED:
                reason, detail = Reason.INDEX_REJECTED, result.reason or ""
            elif entry.id in missing:
                reason, detail = missing[entry.id]
            else:
                clear[entry.id] = entry.revision
                continue
            add.append(LedgerEntry(entry.id, entry.revision, reason, detail, now))
        return add, clear


def _add(
    outcome: tuple[list[LedgerEntry], dict[str, int]],
    add: list[LedgerEntry],
    clear: dict[str, int],
) -> None:
    add += outcome[0]
    clear |= outcome[1]


def _newest(page: Sequence[LogEntry]) -> dict[str, int]:
    return {record_id: entry.revision for entry in page for record_id in entry.record_ids}


def _revision(record: Record | None) -> int:
    return record.revision if record else 0


def entry_of(partition: str, record: Record, clock: NamespaceClock, vector: Vector | None) -> Entry:
    """The entry of a record as it is: a tombstone entry unless it can be found."""
    if not is_indexed(record, clock):
        revision = max(record.revision, clock.floor)
        version = Entry.version_of(revision, complete=True)
        return Entry(partition=partition, id=record.id, revision=revision, version=version)
    return Entry(
        partition=partition,
        id=record.id,
        revision=record.revision,
        version=Entry.version_of(record.revision, complete=vector is not None),
        content=record.content,
        created_at=record.created_at,
        updated_at=record.updated_at,
        vector=vector,
        document_id=record.chunk.document_id if record.chunk else None,
    )
