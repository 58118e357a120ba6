"""Documents as their readers see them: places to upload, lists, text, deleting, reading again."""

import unicodedata
import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from palimpsest.domain.document_attempts import Granted
from palimpsest.domain.documents import Document, Generation, document_id, is_there
from palimpsest.domain.errors import NotFound, NotReady
from palimpsest.domain.upload_keys import UploadPlace
from palimpsest.domain.uploads import Upload
from palimpsest.ports import Clock, Documents, Grants, IngestQueue, ObjectStore, Uploads
from palimpsest.services.ingest.document_files import DocumentFiles
from palimpsest.services.ingest.forgetting import ForgettingService

UPLOAD_S = 3_600
TRIES = 3


@dataclass(frozen=True, slots=True)
class TextPage:
    """A part of a document's text, of so many characters in `total`."""

    text: str
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentService:
    """Tells of the documents of a namespace, and takes them in."""

    documents: Documents
    uploads: Uploads
    grants: Grants
    queue: IngestQueue
    objects: ObjectStore
    forgetting: ForgettingService
    clock: Clock

    def place(
        self, place: UploadPlace, *, content_type: str | None, told: Granted | None
    ) -> Upload:
        """A place to upload the document at a path. What is `told` of it holds for what is uploaded
        there; None: what was told of it before.
        """
        grant = None
        if told is not None:
            grant = str(uuid.uuid4())
            clock, _ = self.documents.read(place.tenant, place.namespace, ())
            self.grants.keep(place.tenant, place.namespace, grant, told, revision=clock.revision)
        return self.uploads.place(
            place.key,
            content_type=content_type,
            grant=grant,
            seconds=UPLOAD_S,
            now=self.clock.now(),
        )

    def page(self, tenant: str, namespace: str, *, after: str, limit: int) -> Sequence[Document]:
        """At most `limit` documents after an id, in the order of ids."""
        return self.documents.page(tenant, namespace, after=after, limit=limit)

    def at_path(self, tenant: str, namespace: str, path: str) -> Document | None:
        """The document at a path: exactly that one, else one whose name is spelt so in another
        normal form of Unicode.
        """
        forms = [path, unicodedata.normalize("NFC", path), unicodedata.normalize("NFD", path)]
        ids = list(dict.fromkeys(map(document_id, forms)))
        clock, found = self.documents.read(tenant, namespace, ids)
        there = (found.get(its_id) for its_id in ids)
        return next((one for one in there if is_there(one, floor=clock.floor)), None)

    def get(self, tenant: str, namespace: str, its_id: str) -> Document:
        """The document. Raises `NotFound`."""
        clock, found = self.documents.read(tenant, namespace, [its_id])
        document = found.get(its_id)
        if document is None or not is_there(document, floor=clock.floor):
            raise NotFound("no such document")
        return document

    def text(
        self, tenant: str, namespace: str, its_id: str, *, offset: int, limit: int
    ) -> TextPage:
        """At most `limit` characters of the text that readers see by now. Raises `NotFound`, and
        `NotReady` where there is none.
        """
        tried = 0
        while True:
            document = self.get(tenant, namespace, its_id)
            if document.current is None:
                raise NotReady("the document has no text that could be read")
            try:
                return self._text(tenant, document, document.current, offset=offset, limit=limit)
            except NotFound:  # it has just been replaced, or deleted
                tried += 1
                if tried == TRIES:
                    raise

    def _text(
        self, tenant: str, document: Document, current: Generation, *, offset: int, limit: int
    ) -> TextPage:
        files = DocumentFiles.of(self.objects, tenant, document, current.number)
        length = min(limit, current.characters - offset)
        text = files.text(offset, length) if length > 0 else ""
        return TextPage(text, current.characters)

    def delete(self, tenant: str, namespace: str, its_id: str, *, by: str) -> int:
        """Forget a document and its object; the revision that forgot it. Raises `NotFound`."""
        return self.forgetting.delete(tenant, namespace, its_id, by=by)

    def read_again(self, tenant: str, namespace: str, its_id: str) -> Document:
        """Have a document read again; as it is now. Raises `NotFound`."""
        document = self.get(tenant, namespace, its_id)
        self.queue.send(UploadPlace(tenant, namespace, document.path), again=True)
        return document
