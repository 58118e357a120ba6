"""Walks: lists of records and the change feed, page by page."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

from palimpsest.domain.commits import Clock as NamespaceClock
from palimpsest.domain.commits import LogEntry
from palimpsest.domain.documents import ChunkKey, Document
from palimpsest.domain.records import Record
from palimpsest.domain.walks import Order, Position, RecordsWanted, WalkPage
from palimpsest.ports import Clock, CommitLog, Documents, RecordStore
from palimpsest.services.newest_changes import newest
from palimpsest.services.record_page import RecordPage
from palimpsest.services.walk_log import LoggedChange, LogReader, changes_of

MAX_ENTRIES = 2_000
"""Log entries that one page reads at most."""

SLICE = 50
T = TypeVar("T", bound=Record | Document)
Kept = Callable[[LogReader, Sequence[LoggedChange], int], Mapping[LoggedChange, T]]


@dataclass(frozen=True, slots=True)
class WalkService:
    """Lists and the change feed of namespaces."""

    store: RecordStore
    log: CommitLog
    clock: Clock
    documents: Documents

    def records(
        self,
        tenant: str,
        namespace: str,
        wanted: RecordsWanted,
        *,
        order: Order,
        limit: int,
        position: Position | None = None,
    ) -> WalkPage[Record]:
        """A page of the records as they are now, ordered by the change of each that was its newest
        when the walk began; one that no longer is wanted is left out. Raises `Unavailable`.
        """

        def kept(
            reader: LogReader, changes: Sequence[LoggedChange], upto: int
        ) -> dict[LoggedChange, Record]:
            clock, records = reader.records(changes)
            shown = [c for c in changes if _shown(c, records, wanted, clock)]
            counting = newest(reader, shown, records, upto=upto)
            return {change: records[change.record_id] for change in counting}

        clock, _ = self.store.read(tenant, namespace)
        if position is None:
            start = clock.revision if order is Order.NEWEST else clock.floor
            position = Position(clock.revision, start)
        return self._page(tenant, namespace, clock, position, order, limit=limit, kept=kept)

    def changes(
        self,
        tenant: str,
        namespace: str,
        *,
        since: int,
        limit: int,
        position: Position | None = None,
    ) -> WalkPage[Record | Document]:
        """A page of the change feed: every record changed after `since`, once, as it is now, in the
        order of their revisions, and every document at its last flip or deletion in place of its
        chunks. Those that change while it is walked belong to the next walk.
        """

        def kept(
            reader: LogReader, changes: Sequence[LoggedChange], _: int
        ) -> dict[LoggedChange, Record | Document]:
            own = [c for c in changes if not c.of_document and ChunkKey.of(c.record_id) is None]
            clock, records = reader.records(own)
            flips = [change for change in changes if change.of_document]
            now: dict[str, Record | Document] = {**records}
            if flips:
                now |= reader.documents(self.documents, flips)[1]
            return {
                change: now[change.record_id]
                for change in (*own, *flips)
                if change.revision > clock.floor
                and change.record_id in now
                and now[change.record_id].revision == change.revision
            }

        clock, _ = self.store.read(tenant, namespace)
        if position is None:
            position = Position(clock.revision, max(since, clock.floor))
        return self._page(
            tenant, namespace, clock, position, Order.OLDEST, limit=limit, kept=kept, documents=True
        )

    def _page(
        self,
        tenant: str,
        namespace: str,
        clock: NamespaceClock,
        position: Position,
        order: Order,
        *,
        limit: int,
        kept: Kept[T],
        documents: bool = False,
    ) -> WalkPage[T]:
        reader = LogReader(self.store, self.log, self.clock, tenant, namespace)
        entries = reader.entries(position, order, floor=clock.floor)
        page, following = RecordPage[T](limit), position
        walked = _Changes(entries, order, position, documents)
        for changes in _slices(walked):
            shown = kept(reader, changes, position.upto)
            for change in changes:
                if change in shown and not page.takes(shown[change]):
                    return _told(page, clock, position, following)
                following = change.following
        return _told(page, clock, position, None if walked.ended else walked.following)


@dataclass(slots=True)
class _Changes:
    """The changes from a position on, of at most `MAX_ENTRIES` commits. `ended`: there are no
    more.
    """

    entries: Iterator[LogEntry]
    order: Order
    position: Position
    documents: bool
    following: Position | None = None
    ended: bool = False

    def __iter__(self) -> Iterator[LoggedChange]:
        skip = self.position.skip
        for entry in islice(self.entries, MAX_ENTRIES):
            after = entry.revision if self.order is Order.OLDEST else entry.previous
            self.following = Position(self.position.upto, after)
            found = changes_of(entry, self.order, upto=self.position.upto, documents=self.documents)
            yield from found[skip:]
            skip = 0
        self.ended = next(self.entries, None) is None


def _slices(changes: Iterable[LoggedChange]) -> Iterator[list[LoggedChange]]:
    left = iter(changes)
    while some := list(islice(left, SLICE)):
        yield some


def _shown(
    change: LoggedChange, records: dict[str, Record], wanted: RecordsWanted, clock: NamespaceClock
) -> bool:
    return change.revision > clock.floor and wanted.shows(records[change.record_id], clock)


def _told(
    page: RecordPage[T], clock: NamespaceClock, position: Position, following: Position | None
) -> WalkPage[T]:
    return WalkPage(
        records=page.records, revision=position.upto, floor=clock.floor, following=following
    )
