"""What the projector works with, and the operator's restore."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from palimpsest.adapters.dynamodb.erasure import DynamoErasures
from palimpsest.adapters.dynamodb.index_ledger import DynamoIndexLedger
from palimpsest.adapters.dynamodb.register import DynamoGenerationRegister
from palimpsest.adapters.dynamodb.vectors import DynamoVectorStore
from palimpsest.adapters.system import SystemClock, ThreadExecutor
from palimpsest.bootstrap.parts import Embedders, make_embedders, make_index, make_store
from palimpsest.ports import RecordStore
from palimpsest.services.embed_records import RecordEmbedding
from palimpsest.services.erase import EraseService
from palimpsest.services.project import ProjectService
from palimpsest.services.projections import GenerationProjections, Projection
from palimpsest.services.restore import RestoreService
from palimpsest.settings import Settings, load

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


@dataclass(frozen=True, slots=True)
class ProjectorServices:
    """What the projector works with. `reading` is the projection into the index that is read,
    `projection` into all that are kept.
    """

    settings: Settings
    store: RecordStore
    reading: ProjectService
    projection: Projection
    erasing: EraseService


@dataclass(frozen=True, slots=True)
class ProjectionParts:
    """What projecting takes: the table's client, the embedders, the projection into the index that
    is read, and the one into every generation, where an engine may keep several.
    """

    settings: Settings
    client: "DynamoDBClient"
    embedders: Embedders
    reading: ProjectService
    generations: GenerationProjections | None


def projection_parts(settings: Settings | None = None) -> ProjectionParts:
    """The projection, the only writer of the index and of vectors, and what it is made of."""
    settings = settings or load()
    store, client = make_store(settings)
    embedders = make_embedders(settings)
    kept = make_index(settings, fingerprint=embedders.main.fingerprint)
    reading = ProjectService(
        store=store,
        ledger=DynamoIndexLedger(settings.table_name, client),
        index=kept.reading,
        embedding=RecordEmbedding(embedders.main, DynamoVectorStore(settings.table_name, client)),
        register=DynamoGenerationRegister(settings.table_name, client),
        executor=ThreadExecutor(),
        clock=SystemClock(),
    )
    every = None
    if kept.generations is not None:
        every = GenerationProjections(reading, kept.generations, embedders.by_fingerprint)
    return ProjectionParts(settings, client, embedders, reading, every)


def projector_services(settings: Settings | None = None) -> ProjectorServices:
    """The projection and the eraser."""
    parts = projection_parts(settings)
    it = parts.reading
    erasing = EraseService(DynamoErasures(parts.settings.table_name, parts.client), it.clock)
    return ProjectorServices(parts.settings, it.store, it, parts.generations or it, erasing)


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
