"""What the ingest function works with."""

from dataclasses import dataclass

from palimpsest.adapters.dynamodb.documents import DynamoDocuments
from palimpsest.adapters.dynamodb.grants import DynamoGrants
from palimpsest.adapters.ingest_queue import SqsIngestQueue, make_client
from palimpsest.adapters.parsers.reader import SandboxedReader
from palimpsest.adapters.s3.client import make_client as make_s3
from palimpsest.adapters.s3.objects import S3Objects
from palimpsest.adapters.s3.uploads import S3Uploads
from palimpsest.bootstrap.parts import KeptIndexes
from palimpsest.bootstrap.projector import ProjectionParts, projection_parts
from palimpsest.bootstrap.tokens import make_token_counter
from palimpsest.ports import Clock, IngestQueue, ObjectStore, Uploads
from palimpsest.services.embed_texts import TextEmbedding
from palimpsest.services.erase_documents import EraseDocumentsService
from palimpsest.services.ingest.attempts import Attempts
from palimpsest.services.ingest.forgetting import ForgettingService
from palimpsest.services.ingest.ingest import IngestService
from palimpsest.services.ingest.reading import ReadingService
from palimpsest.services.ingest.rounds import RoundsService
from palimpsest.services.ingest.settling import SettlingService
from palimpsest.services.ingest.writing import WritingService
from palimpsest.settings import Settings, given


@dataclass(frozen=True, slots=True)
class IngestServices:
    """What the ingest function works with."""

    settings: Settings
    ingesting: IngestService
    rounds: RoundsService
    queue: IngestQueue
    clock: Clock


def ingest_services(settings: Settings | None = None) -> IngestServices:
    """Ingesting, and the rounds that look after documents."""
    parts = projection_parts(settings)
    settings = parts.settings
    given(settings, "uploads_bucket", "ingest_queue_url")
    s3, clock = make_s3(), parts.reading.clock
    objects = S3Objects(s3, bucket=settings.uploads_bucket)
    uploads = S3Uploads(s3, bucket=settings.uploads_bucket)
    documents = DynamoDocuments(settings.table_name, parts.client)
    queue = SqsIngestQueue(settings.ingest_queue_url, make_client)
    every = parts.generations
    kept = KeptIndexes(parts.reading.index, every.generations if every else None)
    rounds = RoundsService(
        store=parts.reading.store,
        documents=documents,
        uploads=uploads,
        queue=queue,
        erasing=EraseDocumentsService(
            documents=documents,
            ledger=parts.reading.ledger,
            indexes=kept.every,
            objects=objects,
            clock=clock,
        ),
        clock=clock,
    )
    ingesting = _ingesting(parts, documents, uploads, objects)
    return IngestServices(settings, ingesting, rounds, queue, clock)


def _ingesting(
    parts: ProjectionParts, documents: DynamoDocuments, uploads: Uploads, objects: ObjectStore
) -> IngestService:
    it, settings = parts.reading, parts.settings
    store, clock = it.store, it.clock
    attempts = Attempts(documents, clock)
    return IngestService(
        documents=documents,
        uploads=uploads,
        grants=DynamoGrants(settings.table_name, parts.client, clock),
        attempts=attempts,
        reading=ReadingService(
            uploads=uploads,
            reader=SandboxedReader(),
            tokens=make_token_counter(settings),
            objects=objects,
        ),
        writing=WritingService(
            store=store,
            documents=documents,
            attempts=attempts,
            objects=objects,
            held=it.embedding.vectors_held,
            embedding=TextEmbedding(it.embedding.embedder, clock),
            bucket=settings.uploads_bucket,
        ),
        settling=SettlingService(
            store=store,
            attempts=attempts,
            projection=parts.generations or it,
            objects=objects,
            clock=clock,
        ),
        forgetting=ForgettingService(
            store=store, documents=documents, uploads=uploads, clock=clock
        ),
        clock=clock,
    )
