"""The history of one record: its versions, newest first."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from palimpsest.domain.errors import NotFound, Unavailable
from palimpsest.domain.records import Record, Status
from palimpsest.domain.visibility import exists, stands
from palimpsest.ports import Clock, CommitLog, RecordStore
from palimpsest.services.record_page import RecordPage
from palimpsest.services.walk_log import REREAD_PAUSE_S, REREADS


@dataclass(frozen=True, slots=True)
class HistoryPage:
    """Versions of a record, and the revision before which the next page begins (None: the end)."""

    records: Sequence[Record]
    below: int | None


@dataclass(frozen=True, slots=True)
class HistoryService:
    """Tells what a record was."""

    store: RecordStore
    log: CommitLog
    clock: Clock

    def revisions(
        self, tenant: str, namespace: str, record_id: str, *, limit: int, below: int | None = None
    ) -> HistoryPage:
        """A page of a record's versions before revision `below` (None: from the present one on);
        of a forgotten one its tombstone alone. Raises `NotFound` where nothing stands.
        """
        page = RecordPage(limit)
        for version in self._versions(tenant, namespace, record_id, below):
            if not page.takes(version):
                return HistoryPage(page.records, page.records[-1].revision)
        return HistoryPage(page.records, None)

    def as_of(self, tenant: str, namespace: str, record_id: str, revision: int) -> Record | None:
        """The record as it was at `revision`; None if it was absent or deleted then, has been
        forgotten since, or the clock has not come that far.
        """
        clock, found = self.store.read(tenant, namespace, [record_id])
        record = found.get(record_id)
        if record is None or not 0 < revision <= clock.revision or not stands(record, clock):
            return None
        if record.revision > revision:
            floor = max(record.history_floor, clock.floor)
            if record.revision > floor:
                self._wait_for_former(tenant, namespace, record_id, record.revision, floor=floor)
            former = self.log.former(tenant, namespace, record_id, below=revision + 1)
            record = next(former, None)
            if record is None or record.revision <= floor:
                return None
        return None if record.status is Status.DELETED else record

    def _versions(
        self, tenant: str, namespace: str, record_id: str, below: int | None
    ) -> Iterator[Record]:
        clock, found = self.store.read(tenant, namespace, [record_id])
        record = found.get(record_id)
        if record is None or not stands(record, clock):
            raise NotFound("no such record")
        if below is None or record.revision < below:
            yield record
            below = record.revision
        floor = max(record.history_floor, clock.floor)
        if not exists(record, clock) or below <= floor:
            return
        self._wait_for_former(tenant, namespace, record_id, below, floor=floor)
        for version in self.log.former(tenant, namespace, record_id, below=below):
            if version.revision <= floor:
                return
            yield version

    def _wait_for_former(
        self, tenant: str, namespace: str, record_id: str, revision: int, *, floor: int
    ) -> None:
        """The items of a commit may be seen one by one: a version replaced at `revision` must be
        there, unless it was forgotten meanwhile.
        """
        for _ in range(REREADS):
            entry = self.log.at(tenant, namespace, [revision]).get(revision)
            if entry is not None:
                before = entry.revision_before(record_id)
                if before <= floor:
                    return
                if self.log.replaced(tenant, namespace, [(record_id, before)]):
                    return
                _, found = self.store.read(tenant, namespace, [record_id])
                if found[record_id].history_floor >= before:
                    return
            self.clock.sleep(REREAD_PAUSE_S)
        raise Unavailable("the table shows a record but not its former version", stage="table")
