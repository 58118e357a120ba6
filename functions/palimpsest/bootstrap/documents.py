"""What the documents function works with; no search index and no embedder is loaded."""

from collections.abc import Callable
from dataclasses import dataclass

from palimpsest.adapters.dynamodb.documents import DynamoDocuments
from palimpsest.adapters.dynamodb.grants import DynamoGrants
from palimpsest.adapters.dynamodb.pass_keys import DynamoPassKeys
from palimpsest.adapters.dynamodb.signing_key import DynamoSigningKey
from palimpsest.adapters.ingest_queue import SqsIngestQueue, make_client
from palimpsest.adapters.s3.client import make_client as make_s3
from palimpsest.adapters.s3.objects import S3Objects
from palimpsest.adapters.s3.uploads import S3Uploads
from palimpsest.adapters.system import SystemClock
from palimpsest.bootstrap.parts import make_store
from palimpsest.services.answer_once import AnswerOnceService
from palimpsest.services.documents import DocumentService
from palimpsest.services.ingest.forgetting import ForgettingService
from palimpsest.settings import Settings, given, load


@dataclass(frozen=True, slots=True)
class DocumentsServices:
    """What the documents function works with."""

    settings: Settings
    documents: DocumentService
    once: AnswerOnceService
    signing_key: Callable[[], bytes]


def documents_services(settings: Settings | None = None) -> DocumentsServices:
    """Documents, and the keys under which a write is answered once."""
    settings = settings or load()
    given(settings, "uploads_bucket", "ingest_queue_url")
    store, client = make_store(settings)
    table, clock, s3 = settings.table_name, SystemClock(), make_s3()
    documents = DynamoDocuments(table, client)
    uploads = S3Uploads(s3, bucket=settings.uploads_bucket)
    return DocumentsServices(
        settings=settings,
        documents=DocumentService(
            documents=documents,
            uploads=uploads,
            grants=DynamoGrants(table, client, clock),
            queue=SqsIngestQueue(settings.ingest_queue_url, make_client),
            objects=S3Objects(s3, bucket=settings.uploads_bucket),
            forgetting=ForgettingService(
                store=store, documents=documents, uploads=uploads, clock=clock
            ),
            clock=clock,
        ),
        once=AnswerOnceService(DynamoPassKeys(table, client, clock), clock),
        signing_key=DynamoSigningKey(table, client),
    )
