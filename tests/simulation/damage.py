"""An index that is damaged outside of every write. Whatever is damaged excuses a search that does
not find it, until the entry is written again.
"""

import random
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from palimpsest.adapters.opensearch.documents import document_id
from simulation.engine import NOBODY, Document, EngineIndex
from simulation.planned_passes import Damage

if TYPE_CHECKING:
    from simulation.world import World


def damaged(world: "World", pk: str, kind: Damage) -> None:
    """Damage one entry of a namespace in one index, if there is one that can be damaged so."""
    index = world.chance.choice(list(world.engine.indices.values()))
    found = [one for one in index.of(pk) if index.documents.get(document_id(pk, one.id)) is one]
    found = [one for one in found if not one.tombstone and one.id != NOBODY]
    if not found:
        return
    document = world.chance.choice(found)
    name = document_id(pk, document.id)
    it = DAMAGES[kind](index, name, document, world.chance)
    if it is not None:
        world.passes.damaging = True
        world.scheduler.note("damaged", kind, index.name, it)
        _, version = index.damaged.get(it, (0, document.version))
        index.damaged[it] = world.scheduler.event(), version


def _lost(index: EngineIndex, name: str, _: Document, __: random.Random) -> str | None:
    del index.documents[name]
    index.visible.pop(name, None)
    index.highest.pop(name, None)
    return name


def _old(index: EngineIndex, name: str, document: Document, chance: random.Random) -> str | None:
    former = [one for one in index.former.get(name, []) if one.version < document.version]
    if not former:
        return None
    _put(index, name, chance.choice(former))
    return name


def _without_vector(
    index: EngineIndex, name: str, document: Document, _: random.Random
) -> str | None:
    if "vector" not in document.source:
        return None
    source: dict[str, Any] = {k: v for k, v in document.source.items() if k != "vector"}
    source["version"] = document.version - 1
    _put(index, name, replace(document, source=source, version=document.version - 1))
    return name


def _without_record(
    index: EngineIndex, _: str, document: Document, __: random.Random
) -> str | None:
    name = document_id(document.partition, NOBODY)
    if name in index.documents:
        return None
    _put(index, name, replace(document, source={**document.source, "id": NOBODY}))
    return name


def _beside(index: EngineIndex, name: str, document: Document, _: random.Random) -> str | None:
    index.strays[f"{name}!"] = document
    return f"{name}!"


def _put(index: EngineIndex, name: str, document: Document) -> None:
    index.documents[name] = index.visible[name] = document
    index.highest[name] = document.version


DAMAGES: Mapping[str, Callable[[EngineIndex, str, Document, random.Random], str | None]] = {
    "lost": _lost,
    "old": _old,
    "without vector": _without_vector,
    "without record": _without_record,
    "beside": _beside,
}
