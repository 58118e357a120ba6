"""A world with documents: clients upload files, and whoever is told looks at them."""

from typing import Any

from palimpsest.adapters.dynamodb.grants import DynamoGrants
from palimpsest.domain.documents import Document, document_id, is_there
from palimpsest.domain.upload_keys import UploadPlace
from palimpsest.services.embed_texts import TextEmbedding
from palimpsest.services.erase_documents import EraseDocumentsService
from palimpsest.services.ingest.attempts import Attempts
from palimpsest.services.ingest.forgetting import ForgettingService
from palimpsest.services.ingest.ingest import IngestService
from palimpsest.services.ingest.reading import ReadingService
from palimpsest.services.ingest.settling import SettlingService
from palimpsest.services.ingest.writing import WritingService
from plain_reader import PlainReader, Words
from quick_world import TABLE, QuickWorld
from world import NAMESPACE, TENANT

PATIENCE_S = 800.0


class IngestWorld(QuickWorld):
    """A `QuickWorld` whose namespace takes documents."""

    def __init__(self, seed: int = 0, **parts: Any) -> None:
        self.grants: Any = None
        super().__init__(seed, **parts)
        self.grants = DynamoGrants(TABLE, self.client, self.clock)
        self.reader: Any = PlainReader()
        self.tokens: Any = Words()
        self.compose()

    def compose(self) -> None:
        super().compose()
        if self.grants is None:
            return
        attempts = Attempts(self.documents, self.clock)
        self.forgetting = ForgettingService(
            store=self.store, documents=self.documents, uploads=self.uploads, clock=self.clock
        )
        self.ingesting = IngestService(
            documents=self.documents,
            uploads=self.uploads,
            grants=self.grants,
            attempts=attempts,
            reading=ReadingService(
                uploads=self.uploads, reader=self.reader, tokens=self.tokens, objects=self.objects
            ),
            writing=WritingService(
                store=self.store,
                documents=self.documents,
                attempts=attempts,
                objects=self.objects,
                held=self.vectors,
                embedding=TextEmbedding(self.embedder, self.clock),
                bucket="uploads",
            ),
            settling=SettlingService(
                store=self.store,
                attempts=attempts,
                projection=self.projection,
                objects=self.objects,
                clock=self.clock,
            ),
            forgetting=self.forgetting,
            clock=self.clock,
        )
        self.erasing_documents = EraseDocumentsService(
            documents=self.documents,
            ledger=self.ledger,
            indexes=lambda: [self.index],
            objects=self.objects,
            clock=self.clock,
        )

    def upload(self, path: str, text: str | bytes, **told: Any) -> None:
        data = text.encode() if isinstance(text, str) else text
        self.uploads.put(UploadPlace(TENANT, NAMESPACE, path).key, data, **told)

    def take_away(self, path: str) -> None:
        self.uploads.delete(UploadPlace(TENANT, NAMESPACE, path).key)

    def look(self, path: str, *, again: bool = False) -> float | None:
        until = self.clock.monotonic() + PATIENCE_S
        place = UploadPlace(TENANT, NAMESPACE, path)
        return self.ingesting.look(place, until=until, again=again)

    def ingest(self, path: str, text: str | bytes, **told: Any) -> Document:
        """Upload a file and look at it until nothing is left to do; the document."""
        self.upload(path, text, **told)
        assert self.look(path) is None
        return self.document(path)

    def document(self, path: str) -> Document:
        found = self.found_document(path)
        assert found is not None
        return found

    def found_document(self, path: str) -> Document | None:
        """The document at a path, if it can be read."""
        clock, found = self.documents.read(TENANT, NAMESPACE, [document_id(path)])
        document = found.get(document_id(path))
        return document if is_there(document, floor=clock.floor) else None

    def erase_documents(self) -> int:
        """Work off what is due."""
        until = self.clock.monotonic() + PATIENCE_S
        return self.erasing_documents.erase(TENANT, NAMESPACE, until=until)
