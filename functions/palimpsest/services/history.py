"""The history of one record: its versions, newest first."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from palimpsest.domain.errors import NotFound, Unavailable
from palimpsest.domain.records import Record, Status
from palimpsest.domain.visibility import exists, stands
from palimpsest.ports import Clock, CommitLog, RecordStore
from palimpsest.services.record_page import RecordPage
from palimpsest.services.walk_log import REREAD_PAUSE_S, REREADS, UNSEEN_FORMER


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
        page = RecordPage[Record](limit)
        for version in self._versions(tenant, namespace, record_id, below):
            if not page.takes(version):
                return HistoryPage(page.records, page.records[-1].revision)
        return HistoryPage(page.records, None)

    def as_of(self, tenant: str, namespace: str, record_id: str, revision: int) -> Record | None:
        """The record as it was at `revision`; None if it was absent or deleted then, has been
        forgotten since, or the clock has not come that far.
        """
        for _ in range(REREADS):
            clock, found = self.store.read(tenant, namespace, [record_id])
            record = found.get(record_id)
            if record is None or not 0 < revision <= clock.revision or not stands(record, clock):
                return None
            if record.revision > revision:
                floor = max(record.history_floor, clock.floor)
                former = self.log.former(tenant, namespace, record_id, below=revision + 1, limit=1)
                version = next(former, None)
                if version is None or version.replaced_by <= revision:
                    if self._began_after(tenant, namespace, record, revision, floor=floor):
                        return None
                    self.clock.sleep(REREAD_PAUSE_S)
                    continue
                record = version.record
                if record.revision <= floor:
                    return None
            chunk = record.chunk
            absent = chunk is not None and not chunk.current_at(revision)
            return None if absent or record.status is Status.DELETED else record
        raise Unavailable(UNSEEN_FORMER, stage="table")

    def _began_after(
        self, tenant: str, namespace: str, record: Record, revision: int, *, floor: int
    ) -> bool:
        """Whether nothing is kept of what stood at `revision`: the oldest version after it replaced
        nothing, or what was forgotten.
        """
        after = self.log.oldest_former(
            tenant, namespace, record.id, above=revision, upto=record.revision
        )
        first = record.revision if after is None else after
        entry = self.log.at(tenant, namespace, [first]).get(first)
        return entry is not None and entry.revision_before(record.id) <= floor

    def _versions(
        self, tenant: str, namespace: str, record_id: str, below: int | None
    ) -> Iterator[Record]:
        """Each version names the one that replaced it: where that is not the one told before, one
        between them cannot be seen yet, or is gone with a forgetting or a purge meanwhile.
        """
        told = False
        for _ in range(REREADS):
            clock, found = self.store.read(tenant, namespace, [record_id])
            record = found.get(record_id)
            if record is None or not stands(record, clock):
                if told:
                    return
                raise NotFound("no such record")
            if below is None or record.revision < below:
                yield record
                below, told = record.revision, True
            floor = max(record.history_floor, clock.floor)
            if not exists(record, clock) or below <= floor:
                return
            for version in self.log.former(tenant, namespace, record_id, below=below):
                if version.replaced_by != below or version.record.revision <= floor:
                    break
                yield version.record
                below, told = version.record.revision, True
            entry = self.log.at(tenant, namespace, [below]).get(below)
            if entry is not None and entry.revision_before(record_id) <= floor:
                return
            self.clock.sleep(REREAD_PAUSE_S)
        raise Unavailable(UNSEEN_FORMER, stage="table")
