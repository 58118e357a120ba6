"""What the index function works with: the operator's steps in the life of the index."""

from dataclasses import dataclass

from palimpsest.adapters.dynamodb.generation_items import DynamoGenerationItems
from palimpsest.bootstrap.parts import make_embedders, make_store
from palimpsest.bootstrap.projector import projector_services
from palimpsest.services.carry_over import CarryOverService
from palimpsest.services.projections import GenerationProjections
from palimpsest.settings import Settings, SettingsError, load


@dataclass(frozen=True, slots=True)
class IndexServices:
    """What the index function works with."""

    settings: Settings
    carry_over: CarryOverService


def index_services(settings: Settings | None = None) -> IndexServices:
    """The life of the index. Raises `SettingsError` for an engine that has one generation only."""
    settings = settings or load()
    projector = projector_services(settings)
    projections = projector.projection
    if not isinstance(projections, GenerationProjections):
        raise SettingsError("ENGINE has one generation of the index only, and makes it by itself")
    it = projector.reading
    embedders = make_embedders(settings)
    _, client = make_store(settings)
    carry_over = CarryOverService(
        store=it.store,
        ledger=it.ledger,
        register=it.register,
        generations=projections.generations,
        items=DynamoGenerationItems(settings.table_name, client),
        projections=projections,
        embedder=embedders.main,
        following=embedders.following,
        clock=it.clock,
    )
    return IndexServices(settings, carry_over)
