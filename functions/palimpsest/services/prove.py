"""Proof that an index generation holds what the table holds, of one namespace, while writes go on.

What is proved is everything up to a revision S that the generation claims to have: every record
that has not changed since S must stand in the index under exactly its version, and nothing else may
be found there.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256

from palimpsest.domain.commits import Clock as NamespaceClock
from palimpsest.domain.entries import Entry, EntryState
from palimpsest.domain.ledger import LedgerEntry, Reason
from palimpsest.domain.records import Record
from palimpsest.ports import IndexLedger, RecordStore, SearchIndex
from palimpsest.services.project import entry_of

LOG_PAGE = 100
READ_BATCH = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """What was compared of a namespace, up to `revision`. `digests`: SHA-256 of the lines
    `id@version` of table and index, without what changed meanwhile or is excused: a vector that the
    ledger says is lacking, a tombstone entry that was removed in the end. `missing` ids have no
    entry, `differing` ones another version, `orphaned` ones no record.
    """

    namespace: str
    revision: int
    entries: int
    digests: tuple[str, str]
    missing: tuple[str, ...]
    differing: tuple[str, ...]
    orphaned: tuple[str, ...]

    @property
    def wrong(self) -> tuple[str, ...]:
        """All ids of which the index has something else than it should."""
        return (*self.missing, *self.differing, *self.orphaned)

    @property
    def equal(self) -> bool:
        """Whether the index is proved equal to the table."""
        return self.digests[0] == self.digests[1] and not self.wrong


@dataclass(frozen=True, slots=True, kw_only=True)
class ProofService:
    """Compares table and index. Both are read whole, so it takes as long as they are large."""

    store: RecordStore
    ledger: IndexLedger

    def prove(self, tenant: str, namespace: str, index: SearchIndex) -> Proof:
        """The proof as of now. Raises `Unavailable` if table or index cannot answer."""
        generation = index.generation()
        upto = self.ledger.progress(tenant, namespace, generation).revision
        there = {state.id: state for state in index.walk(f"{tenant}#{namespace}")}
        ledger = self.ledger.unsearchable(tenant, namespace, generation)
        unsettled = {entry.id: entry for entry in ledger}
        expected: dict[str, Entry] = {}
        changing: set[str] = set()
        for record, clock in self._records(tenant, namespace, there):
            if record.revision > upto:  # its entry may be of before or of after
                changing.add(record.id)
                continue
            entry = entry_of(f"{tenant}#{namespace}", record, clock, _COMPLETE)
            state = there.get(record.id)
            if _is_over(record, state) or _excused(entry, state, unsettled):
                changing.add(record.id)
            else:
                expected[record.id] = entry
        # a tombstone entry without a record is of one that was purged
        found = {
            i: state
            for i, state in there.items()
            if i not in changing and not (state.tombstone and i not in expected)
        }
        return Proof(
            namespace=namespace,
            revision=upto,
            entries=len(expected),
            digests=(
                _digest((i, entry.version) for i, entry in expected.items()),
                _digest((i, state.version) for i, state in found.items()),
            ),
            missing=tuple(sorted(expected.keys() - found.keys())),
            differing=tuple(sorted(_differing(expected, found))),
            orphaned=tuple(sorted(found.keys() - expected.keys())),
        )

    def _records(
        self, tenant: str, namespace: str, there: Mapping[str, EntryState]
    ) -> Iterator[tuple[Record, NamespaceClock]]:
        """Every record that the log or the index knows of, as it is after the index was read."""
        ids = sorted({*there, *self._logged(tenant, namespace)})
        for start in range(0, len(ids), READ_BATCH):
            clock, records = self.store.read(tenant, namespace, ids[start : start + READ_BATCH])
            for record in records.values():
                yield record, clock

    def _logged(self, tenant: str, namespace: str) -> Iterator[str]:
        after = 0
        while page := self.store.log(tenant, namespace, after=after, limit=LOG_PAGE):
            for entry in page:
                yield from entry.record_ids
            after = page[-1].revision


_COMPLETE = (1.0,)
"""Any vector: only whether there is one counts for the version."""


def _is_over(record: Record, state: EntryState | None) -> bool:
    """Whether the record is a chunk that is not, or no longer, its document's: until it is erased
    the index may have its entry still, from then on a tombstone entry or none.
    """
    if record.chunk is None:
        return False
    if record.content is None:
        return state is None or state.tombstone
    return record.chunk.until is not None


def _excused(entry: Entry, state: EntryState | None, unsettled: Mapping[str, LedgerEntry]) -> bool:
    """Whether it is right that the index has something else or nothing: the ledger says why, or it
    is a tombstone entry that was removed in the end. Of a record without a vector there must be
    the entry without one.
    """
    if state is None and entry.content is None:
        return True
    told = unsettled.get(entry.id)
    if told is None or told.revision != entry.revision:
        return False
    if told.reason is Reason.INDEX_REJECTED:
        return state is None or state.version <= entry.version
    lexical = Entry.version_of(entry.revision, complete=False)
    return state is not None and not state.tombstone and state.version == lexical


def _differing(expected: Mapping[str, Entry], found: Mapping[str, EntryState]) -> Iterator[str]:
    for record_id in expected.keys() & found.keys():
        entry, state = expected[record_id], found[record_id]
        if (entry.version, entry.content is None) != (state.version, state.tombstone):
            yield record_id


def _digest(versions: Iterable[tuple[str, int]]) -> str:
    digest = sha256()
    for record_id, version in sorted(versions):
        digest.update(f"{record_id}@{version}\n".encode())
    return digest.hexdigest()
