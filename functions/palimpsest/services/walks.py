"""Walks: lists of records and the change feed, page by page."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from palimpsest.domain.commits import Clock as NamespaceClock
from palimpsest.domain.commits import LogEntry
from palimpsest.domain.records import Record
from palimpsest.domain.walks import Order, Position, RecordsWanted, WalkPage
from palimpsest.ports import Clock, CommitLog, RecordStore
from palimpsest.services.newest_changes import newest
from palimpsest.services.record_page import RecordPage
from palimpsest.services.walk_log import LoggedChange, LogReader, changes_of

MAX_ENTRIES = 2_000
"""Log entries that one page reads at most."""

SLICE = 50
Kept = Callable[[LogReader, Sequence[LoggedChange], int], dict[LoggedChange, Record]]


@dataclass(frozen=True, slots=True)
class WalkService:
    """Lists and the change feed of namespaces."""

    store: RecordStore
    log: CommitLog
    clock: Clock

    def records(
        self,
        tenant: str,
        namespace: str,
        wanted: RecordsWanted,
        *,
        order: Order,
        limit: int,
        position: Position | None = None,
    ) -> WalkPage:
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
    ) -> WalkPage:
        """A page of the change feed: every record changed after `since`, once, as it is now, in the
        order of their revisions. Those that change while it is walked belong to the next walk.
        """

        def kept(
            reader: LogReader, changes: Sequence[LoggedChange], _: int
        ) -> dict[LoggedChange, Record]:
            clock, records = reader.records(changes)
            return {
                change: records[change.record_id]
                for change in changes
                if change.revision > clock.floor
                and records[change.record_id].revision == change.revision
            }

        clock, _ = self.store.read(tenant, namespace)
        if position is None:
            position = Position(clock.revision, max(since, clock.floor))
        return self._page(tenant, namespace, clock, position, Order.OLDEST, limit=limit, kept=kept)

    def _page(
        self,
        tenant: str,
        namespace: str,
        clock: NamespaceClock,
        position: Position,
        order: Order,
        *,
        limit: int,
        kept: Kept,
    ) -> WalkPage:
        reader = LogReader(self.store, self.log, self.clock, tenant, namespace)
        entries = reader.entries(position, order, floor=clock.floor)
        page, following = RecordPage(limit), position
        walked = _Changes(entries, order, position)
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
    following: Position | None = None
    ended: bool = False

    def __iter__(self) -> Iterator[LoggedChange]:
        skip = self.position.skip
        for entry in islice(self.entries, MAX_ENTRIES):
            after = entry.revision if self.order is Order.OLDEST else entry.previous
            self.following = Position(self.position.upto, after)
            yield from changes_of(entry, self.order, upto=self.position.upto)[skip:]
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
    page: RecordPage, clock: NamespaceClock, position: Position, following: Position | None
) -> WalkPage:
    return WalkPage(
        records=page.records, revision=position.upto, floor=clock.floor, following=following
    )
