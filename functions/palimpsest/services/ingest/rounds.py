"""Rounds over all documents: what was left is taken up again, what is over is erased, and what no
event told of is found.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby, islice

from palimpsest.domain.documents import Document, document_id, is_there
from palimpsest.domain.upload_keys import UPLOADS, UploadPlace, upload_place, upload_prefix
from palimpsest.ports import Clock, Documents, IngestQueue, RecordStore, Uploads
from palimpsest.services.erase_documents import EraseDocumentsService

PAGE = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundsService:
    """Looks after documents."""

    store: RecordStore
    documents: Documents
    uploads: Uploads
    queue: IngestQueue
    erasing: EraseDocumentsService
    clock: Clock

    def tend(self, *, until: float) -> int:
        """Send what was left to the queue again, and erase what is over, beginning nothing after
        `until` (monotonic seconds); how many documents were sent.
        """
        sent = 0
        for tenant, namespace in self.store.namespaces():
            for place in self._left(tenant, namespace, now=self.clock.now()):
                self.queue.send(place)
                sent += 1
            self.erasing.erase(tenant, namespace, until=until)
        return sent

    def _left(self, tenant: str, namespace: str, *, now: datetime) -> Iterator[UploadPlace]:
        """Documents that nobody is at work on, though somebody should."""
        ids = self.documents.under_way(tenant, namespace)
        for start in range(0, len(ids), PAGE):
            clock, found = self.documents.read(tenant, namespace, ids[start : start + PAGE])
            for document in found.values():
                there = is_there(document, floor=clock.floor)
                if there and document.attempt is not None and document.attempt.lease <= now:
                    yield UploadPlace(tenant, namespace, document.path)

    def sweep(self, prefix: str = f"{UPLOADS}/") -> int:
        """Send to the queue what the bucket has below a prefix and the table has otherwise, and
        what the table has there and the bucket has no more, whatever events were lost; how many.
        """
        sent = 0
        names = set(self.store.namespaces())
        listed = groupby(self._listed(prefix), key=lambda one: one[0][:2])
        for (tenant, namespace), objects in listed:
            names.discard((tenant, namespace))
            sent += self._compared(tenant, namespace, objects, prefix)
        for tenant, namespace in sorted(names):
            if upload_prefix(tenant, namespace).startswith(prefix):
                sent += self._compared(tenant, namespace, iter(()), prefix)
        return sent

    def _listed(self, prefix: str) -> Iterator[tuple[UploadPlace, str]]:
        for key, etag in self.uploads.keys(prefix):
            place = upload_place(key)
            if place is not None:
                yield place, etag

    def _compared(
        self, tenant: str, namespace: str, objects: Iterator[tuple[UploadPlace, str]], prefix: str
    ) -> int:
        """How many of a namespace were sent: objects come in the order of their keys."""
        sent, there = 0, set[str]()
        while some := list(islice(objects, PAGE)):
            ids = {document_id(place.path): (place, etag) for place, etag in some}
            there |= ids.keys()
            clock, found = self.documents.read(tenant, namespace, list(ids))
            for its_id, (place, etag) in ids.items():
                document = found.get(its_id)
                if not (is_there(document, floor=clock.floor) and _shows(document, etag)):
                    self.queue.send(place)
                    sent += 1
        for document in self._all(tenant, namespace):
            place = UploadPlace(tenant, namespace, document.path)
            if document.id not in there and place.key.startswith(prefix):
                self.queue.send(place)
                sent += 1
        return sent

    def _all(self, tenant: str, namespace: str) -> Iterator[Document]:
        after = ""
        while page := self.documents.page(tenant, namespace, after=after, limit=PAGE):
            yield from page
            after = page[-1].id


def _shows(document: Document | None, etag: str) -> bool:
    """Whether a document is, or is about to be, what an object is."""
    return document is not None and document.object is not None and document.object.etag == etag
