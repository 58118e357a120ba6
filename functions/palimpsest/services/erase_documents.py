"""Erase generations of documents that are over: their entries of the index become tombstones, then
their records, vectors and texts go, and last the mark that says so.

Each step may be taken again. What a transaction wrote may come into view after a first look, so
there are two.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from palimpsest.domain.documents import Document, Generation
from palimpsest.domain.entries import Entry
from palimpsest.ports import Clock, Documents, Ended, IndexLedger, ObjectStore, SearchIndex
from palimpsest.services.erase import SETTLING_S
from palimpsest.services.ingest.document_files import DocumentFiles

GENERATIONS = 25
CHUNKS = 250


@dataclass(frozen=True, slots=True, kw_only=True)
class EraseDocumentsService:
    """Works off the generations of a namespace that are marked. `indexes`: those of all generations
    of the index that are kept now.
    """

    documents: Documents
    ledger: IndexLedger
    indexes: Callable[[], Sequence[SearchIndex]]
    objects: ObjectStore
    clock: Clock

    def erase(self, tenant: str, namespace: str, *, until: float) -> int:
        """Erase what is due, beginning nothing after `until` (monotonic seconds); how many
        generations are gone. What is left is taken up by a later call.
        """
        done = 0
        due = self.documents.ended(tenant, namespace, now=self.clock.now(), limit=GENERATIONS)
        for ended in due:
            if not self._erased(tenant, namespace, ended, until=until):
                break
            done += 1
        return done

    def _erased(self, tenant: str, namespace: str, ended: Ended, *, until: float) -> bool:
        """Whether a generation is gone by now."""
        _, found = self.documents.read(tenant, namespace, [ended.document_id])
        document = found.get(ended.document_id)
        generation = document.generation(ended.generation) if document else None
        # after a purge a number may be given out again: one that has not ended is another's
        if document is not None and generation is not None and generation.until is not None:
            for look in range(2):
                if look:
                    self.clock.sleep(SETTLING_S)
                if not self._chunks_erased(tenant, document, generation, until=until):
                    return False
            DocumentFiles.of(self.objects, tenant, document, generation.number).erase()
            self._forget_generation(tenant, document.id, namespace, generation.number)
        self.documents.unmark(tenant, namespace, ended)
        return True

    def _chunks_erased(
        self, tenant: str, document: Document, generation: Generation, *, until: float
    ) -> bool:
        namespace, revision = document.namespace, generation.until or 0
        while ids := self.documents.chunk_ids(
            tenant, namespace, document.id, generation.number, limit=CHUNKS
        ):
            if self.clock.monotonic() >= until:
                return False
            hidden = [_hidden(f"{tenant}#{namespace}", chunk_id, revision) for chunk_id in ids]
            for index in self.indexes():
                index.write(hidden)
                over = dict.fromkeys(ids, revision)
                self.ledger.settle(tenant, namespace, index.generation(), add=[], clear=over)
            self.documents.erase_chunks(tenant, namespace, ids)
        return True

    def _forget_generation(
        self, tenant: str, document_id: str, namespace: str, number: int
    ) -> None:
        """The document names it no more; somebody else may be writing the document."""
        while True:
            _, found = self.documents.read(tenant, namespace, [document_id])
            document = found.get(document_id)
            if document is None or document.generation(number) is None:
                return
            after = replace(document.without_generation(number), writes=document.writes + 1)
            if self.documents.put(tenant, after, writes=document.writes):
                return


def _hidden(partition: str, chunk_id: str, revision: int) -> Entry:
    version = Entry.version_of(revision, complete=True)
    return Entry(partition=partition, id=chunk_id, revision=revision, version=version)
