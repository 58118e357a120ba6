"""What the projector works with, and the operator's restore."""

from dataclasses import dataclass

from palimpsest.adapters.dynamodb.erasure import DynamoErasures
from palimpsest.adapters.dynamodb.index_ledger import DynamoIndexLedger
from palimpsest.adapters.dynamodb.register import DynamoGenerationRegister
from palimpsest.adapters.dynamodb.store import DynamoRecordStore
from palimpsest.adapters.dynamodb.vectors import DynamoVectorStore
from palimpsest.adapters.system import SystemClock
from palimpsest.bootstrap.parts import make_embedders, make_index, make_store
from palimpsest.ports import SearchIndex
from palimpsest.services.embed_records import RecordEmbedding
from palimpsest.services.erase import EraseService
from palimpsest.services.project import ProjectService
from palimpsest.services.projections import GenerationProjections, Projection
from palimpsest.services.restore import RestoreService
from palimpsest.settings import Engine, Settings, load


@dataclass(frozen=True, slots=True)
class ProjectorServices:
    """What the projector works with. `reading` is the projection into the index that is read,
    `projection` into all that are kept.
    """

    settings: Settings
    store: DynamoRecordStore
    reading: ProjectService
    projection: Projection
    erasing: EraseService


def projector_services(settings: Settings | None = None) -> ProjectorServices:
    """The projection and the eraser: the only writers of the index and of vectors."""
    settings = settings or load()
    store, client = make_store(settings)
    embedders = make_embedders(settings)
    generations = None
    index: SearchIndex
    if settings.engine is Engine.OPENSEARCH:
        from palimpsest.bootstrap.opensearch import make_generations  # noqa: PLC0415  # a branch

        generations = make_generations(settings)
        index = generations.reading(patience_s=20.0)
    else:
        index = make_index(settings, fingerprint=embedders.main.fingerprint).reading
    reading = ProjectService(
        store=store,
        ledger=DynamoIndexLedger(settings.table_name, client),
        index=index,
        embedding=RecordEmbedding(embedders.main, DynamoVectorStore(settings.table_name, client)),
        register=DynamoGenerationRegister(settings.table_name, client),
        clock=SystemClock(),
    )
    projection: Projection = reading
    if generations is not None:
        projection = GenerationProjections(reading, generations, embedders.by_fingerprint)
    erasing = EraseService(DynamoErasures(settings.table_name, client), SystemClock())
    return ProjectorServices(settings, store, reading, projection, erasing)


def restore_services(settings: Settings | None = None) -> RestoreService:
    """The operator's restore, over the projector's services."""
    services = projector_services(settings)
    it = services.reading
    return RestoreService(
        store=it.store,
        index=it.index,
        register=it.register,
        projection=services.projection,
        clock=it.clock,
    )
