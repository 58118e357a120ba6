"""The job of a purge: everything at or below the floor is erased, place by place, and a receipt
tells what a new look at each of them still finds.

Each step may be taken again, and be interrupted at any point. The index goes first: a tombstone
entry for every id that table or index know keeps late writes out. The table goes last: its items
name what has to be erased elsewhere.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from palimpsest.domain.batching import batched
from palimpsest.domain.entries import Entry
from palimpsest.domain.errors import NotFound
from palimpsest.domain.jobs import Job
from palimpsest.domain.upload_keys import upload_prefix
from palimpsest.ports import (
    Clock,
    Documents,
    Jobs,
    NamespaceErasure,
    ObjectStore,
    RecordStore,
    SearchIndex,
    Uploads,
)
from palimpsest.services.erase import SETTLING_S
from palimpsest.services.ingest.document_files import text_prefix
from palimpsest.services.job_records import JobRecords
from palimpsest.services.reconciling.pass_files import PassFiles, work_prefix
from palimpsest.services.reconciling.pass_state import PassState

WRITE_BATCH = 250
ERASE_BATCH = 500
READ_BATCH = 100
LOOKS, LOOK_PAUSE_S = 20, 1.0
"""At objects that somebody goes on writing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PurgeJobService:
    """Takes the steps of purge jobs. `indexes`: those of all generations that are kept now."""

    store: RecordStore
    erasure: NamespaceErasure
    indexes: Callable[[], Sequence[SearchIndex]]
    objects: ObjectStore
    uploads: Uploads
    documents: Documents
    jobs: Jobs
    clock: Clock

    def erase(self, job: Job, *, until: float) -> bool:
        """Erase, beginning nothing after `until` (monotonic seconds); whether all is erased."""
        if job.ended:
            return True
        floor, purged_at = self._floor(job)
        records = JobRecords(self.jobs, self.clock, job)
        records.started()
        for index in self.indexes():
            self._hide(index, job, floor)
        self.uploads.erase(upload_prefix(job.tenant, job.namespace), before=purged_at)
        for prefix in self._prefixes(job, floor):
            self.objects.erase(prefix)
        done = 0
        while erased := self.erasure.erase(
            job.tenant, job.namespace, floor=floor, limit=ERASE_BATCH
        ):
            done += erased
            records.progress(min(done, job.total), job.total)
            if self.clock.monotonic() >= until:
                return False
        return True

    def finish(self, job: Job) -> None:
        """Look at every place once more and end the job with the receipt."""
        if job.ended:
            return
        floor, purged_at = self._floor(job)
        self.clock.sleep(SETTLING_S)  # what was committed just before may have come into view
        while self.erasure.erase(job.tenant, job.namespace, floor=floor, limit=ERASE_BATCH):
            pass
        receipt = self._receipt(job, floor, purged_at)
        for _ in range(LOOKS):  # a pass that is just being planned learns of its end a little later
            if not receipt["objects"]:
                break
            self.clock.sleep(LOOK_PAUSE_S)
            for prefix in self._prefixes(job, floor):
                self.objects.erase(prefix)
            receipt = self._receipt(job, floor, purged_at)
        result = {"receipt": receipt, "revision": floor}
        JobRecords(self.jobs, self.clock, job).succeeded(result, total=job.total)

    def _floor(self, job: Job) -> tuple[int, datetime]:
        """The namespace's floor and its time; at least its own commit's, which may not be seen
        yet.
        """
        clock, _ = self.store.read(job.tenant, job.namespace)
        if clock.purged_at is None or clock.floor < job.floor:
            return job.floor, job.created_at
        return clock.floor, clock.purged_at

    def _hide(self, index: SearchIndex, job: Job, floor: int) -> None:
        """Write a tombstone entry of the floor for every id that is not hidden by one already."""
        partition = f"{job.tenant}#{job.namespace}"
        version = Entry.version_of(floor, complete=True)
        hidden = {s.id for s in index.walk(partition) if s.version >= version}
        ids = {state.id for state in index.walk(partition)}
        ids |= set(self.erasure.ids(job.tenant, job.namespace, floor=floor))
        entries = (
            Entry(partition=partition, id=record_id, revision=floor, version=version)
            for record_id in sorted(ids - hidden)
        )
        for batch in _batches(entries):
            index.write(batch, visible=False)
        index.refresh()

    def _prefixes(self, job: Job, floor: int) -> list[str]:
        """Where objects of the service's own lie that are older than the floor: the files of passes
        that had begun before, and of documents' generations.
        """
        work = work_prefix(job.tenant, job.namespace)
        passes = {key.removeprefix(work).partition("/")[0] for key in self.objects.keys(work)}
        prefixes = list(self._generations(job, floor))
        for name in sorted(passes):
            prefix = work_prefix(job.tenant, job.namespace, name)
            if _began_before(PassFiles(self.objects, prefix), floor):
                prefixes.append(prefix)
        return prefixes

    def _generations(self, job: Job, floor: int) -> Iterator[str]:
        """Where the files of generations lie that no document names any more."""
        texts = text_prefix(job.tenant, job.namespace)
        named = {tuple(k.removeprefix(texts).split("/")[:2]) for k in self.objects.keys(texts)}
        for some in batched(sorted(named), most=READ_BATCH, size=READ_BATCH, size_of=lambda _: 1):
            ids = list(dict.fromkeys(document_id for document_id, _ in some))
            _, found = self.documents.read(job.tenant, job.namespace, ids)
            for document_id, number in some:
                document = found.get(document_id)
                there = document if document is not None and document.base >= floor else None
                if there is None or there.generation(int(number)) is None:
                    yield text_prefix(job.tenant, job.namespace, document_id, int(number))

    def _receipt(self, job: Job, floor: int, purged_at: datetime) -> Mapping[str, int]:
        partition = f"{job.tenant}#{job.namespace}"
        version = Entry.version_of(floor, complete=True)
        states = [
            state
            for index in self.indexes()
            for state in index.walk(partition)
            if not state.tombstone and state.version <= version
        ]
        return {
            "lexical": len(states),
            "semantic": sum(state.vector for state in states),
            **self.erasure.remains(job.tenant, job.namespace, floor=floor),
            "objects": sum(map(self.objects.remains, self._prefixes(job, floor)))
            + self.uploads.remains(upload_prefix(job.tenant, job.namespace), before=purged_at),
        }


def _batches(entries: Iterable[Entry]) -> Iterable[list[Entry]]:
    return batched(entries, most=WRITE_BATCH, size=WRITE_BATCH, size_of=lambda _: 1)


def _began_before(files: PassFiles, floor: int) -> bool:
    """Whether they are of a pass that had begun. Its state is kept first of all, so that files
    without one are what an interrupted erasure has left.
    """
    try:
        state = PassState.from_json(files.state())
    except NotFound:
        return True
    return state.begun is not None and state.begun.base < floor
