"""Walking a namespace's commit log, change by change, with each record as it is now.

Query and BatchGetItem show a transaction's items one by one, so a log that ends before the walk's
revision, or a record older than its log entry, is read again, never passed over.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from palimpsest.domain.commits import Clock as NamespaceClock
from palimpsest.domain.commits import LogEntry
from palimpsest.domain.documents import Document
from palimpsest.domain.errors import CursorMismatch, Unavailable
from palimpsest.domain.records import Record
from palimpsest.domain.walks import Order, Position
from palimpsest.ports import Clock, CommitLog, Documents, RecordStore

T = TypeVar("T")
Changed = TypeVar("Changed", Record, Document)

LOG_PAGE = 100
REREADS = 20
REREAD_PAUSE_S = 0.02
UNSEEN_FORMER = "the table shows a record but not its former version"


@dataclass(frozen=True, slots=True)
class LoggedChange:
    """One record's change in the log, or one `of_document`s, and where a walk goes on after it."""

    record_id: str
    revision: int
    following: Position
    of_document: bool = False


@dataclass(frozen=True, slots=True)
class LogReader:
    """Reads the log of one namespace and the records it names."""

    store: RecordStore
    log: CommitLog
    clock: Clock
    tenant: str
    namespace: str

    def entries(self, position: Position, order: Order, *, floor: int) -> Iterator[LogEntry]:
        """The commits from a position to the end of its walk."""
        at = position.at
        while (at < position.upto) if order is Order.OLDEST else (at > floor):
            for entry in self._page(at, order):
                outside = entry.revision > position.upto or entry.revision <= floor
                if outside:
                    return
                yield entry
                at = entry.revision if order is Order.OLDEST else entry.previous

    def _page(self, at: int, order: Order) -> list[LogEntry]:
        def read() -> list[LogEntry]:
            if order is Order.OLDEST:
                return self.store.log(self.tenant, self.namespace, after=at, limit=LOG_PAGE)
            found = self.log.descending(self.tenant, self.namespace, upto=at, limit=LOG_PAGE)
            if not found:
                self._refuse_lost(at)
            return found

        return self._read_until(read, bool, "the commit log has a gap")

    def _refuse_lost(self, revision: int) -> None:
        """Raises `CursorMismatch` where the log has jumped past a revision: its commit was lost
        when the table was put back to an older point.
        """
        later = self.store.log(self.tenant, self.namespace, after=revision, limit=1)
        if later and later[0].previous < revision:
            raise CursorMismatch("this cursor is of a time that the table has lost")

    def records(
        self, changes: Collection[LoggedChange]
    ) -> tuple[NamespaceClock, dict[str, Record]]:
        """The records of these changes as they are now, none older than its change. One that is not
        there at all was purged.
        """
        return self._as_they_are(
            self.store.read, changes, "the table shows a commit, not its records"
        )

    def documents(
        self, documents: Documents, changes: Collection[LoggedChange]
    ) -> tuple[NamespaceClock, dict[str, Document]]:
        """The documents of these changes as they are now, none older than its change."""
        return self._as_they_are(
            documents.read, changes, "the table shows a commit, not its document"
        )

    def _as_they_are(
        self,
        read: Callable[[str, str, Sequence[str]], tuple[NamespaceClock, dict[str, Changed]]],
        changes: Collection[LoggedChange],
        fault: str,
    ) -> tuple[NamespaceClock, dict[str, Changed]]:
        """What has changed, read until none of it is older than its change or absent, but for what
        was purged.
        """
        ids = list(dict.fromkeys(change.record_id for change in changes))

        def settled(found: tuple[NamespaceClock, dict[str, Changed]]) -> bool:
            clock, there = found
            return all(
                change.revision <= clock.floor
                or (
                    change.record_id in there
                    and there[change.record_id].revision >= change.revision
                )
                for change in changes
            )

        return self._read_until(lambda: read(self.tenant, self.namespace, ids), settled, fault)

    def commits(self, revisions: Collection[int]) -> Mapping[int, LogEntry]:
        """The commits of these revisions, all of which are there or about to be seen."""

        def read() -> Mapping[int, LogEntry]:
            return self.log.at(self.tenant, self.namespace, revisions)

        return self._read_until(
            read, lambda found: len(found) == len(revisions), "the commit log has a gap"
        )

    def _read_until(self, read: Callable[[], T], settled: Callable[[T], bool], fault: str) -> T:
        for _ in range(REREADS):
            found = read()
            if settled(found):
                return found
            self.clock.sleep(REREAD_PAUSE_S)
        raise Unavailable(fault, stage="table")


def changes_of(
    entry: LogEntry, order: Order, *, upto: int, documents: bool = False
) -> Sequence[LoggedChange]:
    """The changes of a commit in the order of the walk, with that of its document on request."""
    told = (entry.document_id,) if documents and entry.document_id else ()
    ids = [*entry.record_ids, *told]
    if order is Order.NEWEST:
        ids.reverse()
    here, after = entry.revision, entry.previous
    if order is Order.OLDEST:
        here, after = after, here
    last = len(ids) - 1
    return [
        LoggedChange(
            record_id,
            entry.revision,
            Position(upto, after) if index == last else Position(upto, here, index + 1),
            record_id in told,
        )
        for index, record_id in enumerate(ids)
    ]
