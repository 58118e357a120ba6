"""What the projector works with, and the operator's restore."""

from dataclasses import dataclass

from palimpsest.adapters.dynamodb.erasure import DynamoErasures
from palimpsest.adapters.dynamodb.index_ledger import DynamoIndexLedger
from palimpsest.adapters.dynamodb.register import DynamoGenerationRegister
from palimpsest.adapters.dynamodb.store import DynamoRecordStore
from palimpsest.adapters.dynamodb.vectors import DynamoVectorStore
from palimpsest.adapters.system import SystemClock
from palimpsest.bootstrap.parts import make_embedder, make_index, make_store
from palimpsest.services.embed_records import RecordEmbedding
from palimpsest.services.erase import EraseService
from palimpsest.services.project import ProjectService
from palimpsest.services.restore import RestoreService
from palimpsest.settings import Settings, load


@dataclass(frozen=True, slots=True)
class ProjectorServices:
    """What the projector works with."""

    settings: Settings
    store: DynamoRecordStore
    projection: ProjectService
    erasing: EraseService


def projector_services(settings: Settings | None = None) -> ProjectorServices:
    """The projection and the eraser: the only writers of the index and of vectors."""
    settings = settings or load()
    store, client = make_store(settings)
    embedder = make_embedder(settings)
    return ProjectorServices(
        settings,
        store,
        ProjectService(
            store=store,
            ledger=DynamoIndexLedger(settings.table_name, client),
            index=make_index(settings, fingerprint=embedder.fingerprint),
            embedding=RecordEmbedding(embedder, DynamoVectorStore(settings.table_name, client)),
            register=DynamoGenerationRegister(settings.table_name, client),
            clock=SystemClock(),
        ),
        EraseService(DynamoErasures(settings.table_name, client), SystemClock()),
    )


def restore_services(settings: Settings | None = None) -> RestoreService:
    """The operator's restore, over the projector's services."""
    it = projector_services(settings).projection
    return RestoreService(
        store=it.store, index=it.index, register=it.register, projection=it, clock=it.clock
    )
