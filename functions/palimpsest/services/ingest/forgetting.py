"""Forgetting a document: a tombstone in one commit; the rest is erased by its marks."""

import uuid
from dataclasses import dataclass
from datetime import timedelta

from palimpsest.domain.document_commits import BY, Signature, plan_forgetting
from palimpsest.domain.documents import Document, ObjectVersion, is_there
from palimpsest.domain.errors import NotFound
from palimpsest.domain.upload_keys import UploadPlace
from palimpsest.ports import Clock, Documents, RecordStore, Uploads
from palimpsest.services.ingest.attempts import PATIENCE_S, contended


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgettingService:
    """Forgets documents."""

    store: RecordStore
    documents: Documents
    uploads: Uploads
    clock: Clock

    def forget(
        self,
        tenant: str,
        document: Document,
        seen: ObjectVersion | None,
        *,
        until: float,
        by: str = BY,
    ) -> bool:
        """Forget a document whose object is `seen` as it is now (None: it is gone); False and
        nothing where it has been written since it was read.
        """

        def forget() -> bool | None:
            clock, found = self.documents.read(tenant, document.namespace, [document.id])
            now = found.get(document.id)
            if now is None or now.writes != document.writes:
                return False
            signed = Signature(commit_id=str(uuid.uuid4()), at=self.clock.now(), by=by)
            plan = plan_forgetting(tenant, now, seen, clock, signed=signed)
            return self.store.commit(plan) or None

        return contended(forget, self.clock, until=until)

    def delete(self, tenant: str, namespace: str, document_id: str, *, by: str) -> int:
        """Forget a document and erase its object, every version of it up to now; the revision that
        forgot it. Raises `NotFound`.
        """
        until = self.clock.monotonic() + PATIENCE_S
        while True:
            clock, found = self.documents.read(tenant, namespace, [document_id])
            document = found.get(document_id)
            if document is None or not is_there(document, floor=clock.floor):
                raise NotFound("no such document")
            key = UploadPlace(tenant, namespace, document.path).key
            seen, asked = self.uploads.seen(key), self.clock.now()
            if self.forget(tenant, document, seen, until=until, by=by):
                self.uploads.erase(key, before=asked + timedelta(milliseconds=1))
                _, after = self.documents.read(tenant, namespace, [document_id])
                return int(after[document_id].revision)
