"""What the index function works with: the operator's steps in the life of the index."""

from dataclasses import dataclass

from palimpsest.adapters.dynamodb.generation_items import DynamoGenerationItems
from palimpsest.bootstrap.projector import projection_parts
from palimpsest.services.carry_over import CarryOverService
from palimpsest.settings import Settings, SettingsError


@dataclass(frozen=True, slots=True)
class IndexServices:
    """What the index function works with."""

    settings: Settings
    carry_over: CarryOverService


def index_services(settings: Settings | None = None) -> IndexServices:
    """The life of the index. Raises `SettingsError` for an engine that has one generation only."""
    parts = projection_parts(settings)
    projections, it = parts.generations, parts.reading
    if projections is None:
        raise SettingsError("ENGINE has one generation of the index only, and makes it by itself")
    carry_over = CarryOverService(
        store=it.store,
        ledger=it.ledger,
        register=it.register,
        generations=projections.generations,
        items=DynamoGenerationItems(parts.settings.table_name, parts.client),
        projections=projections,
        embedder=parts.embedders.main,
        following=parts.embedders.following,
        clock=it.clock,
    )
    return IndexServices(parts.settings, carry_over)
