"""Invariants of searches: a hit was true, and active, at some moment of the search; and what the
answer says to be indexed is found where every leg answered.
"""

from typing import TYPE_CHECKING

from palimpsest.adapters.opensearch.documents import document_id
from palimpsest.domain.entries import LegStatus
from palimpsest.domain.queries import Mode, SearchAnswer
from simulation.read_invariants import shows
from simulation.scheduling import Violated
from simulation.table import Key
from simulation.truth import ACTIVE, Version

if TYPE_CHECKING:
    from simulation.world import World


def check(pk: str, answer: SearchAnswer, world: "World", began: float, ended: float) -> None:
    """Raises `Violated`."""
    for hit in answer.hits:
        seen = world.truth.seen((pk, hit.record.id), began, ended)
        if not any(one.status == ACTIVE and shows(hit.record, one) for one in seen):
            raise Violated("hits", f"{pk}: {hit.record} was never so, but {seen}")
    ids = [hit.record.id for hit in answer.hits]
    if len(set(ids)) < len(ids):
        raise Violated("hits", f"{pk}: one record twice in {ids}")
    _check_complete(pk, answer, world, began, ended)


def _check_complete(
    pk: str, answer: SearchAnswer, world: "World", began: float, ended: float
) -> None:
    """Every record holds the words of its namespace, so all that is indexed is found."""
    (revisions,) = answer.revisions.values()
    if revisions.corpus not in world.truth.ticked(pk, began, ended):
        raise Violated("hits", f"{pk}: the clock was never {revisions.corpus}")
    whole = all(leg.status is LegStatus.OK and not leg.cut for leg in answer.legs.values())
    if not whole or answer.degraded or answer.rest is not None or answer.closed_early:
        return
    found = {hit.record.id for hit in answer.hits}
    for record_id, version in world.truth.records(pk):
        if record_id in found or not 0 < version.revision <= revisions.indexed:
            continue
        if _stood(version, pk, record_id, world, began, ended) and not _excused(
            pk, record_id, answer, world, began
        ):
            said = f"{pk} at {revisions}: {record_id} {version} is missing in {sorted(found)}"
            raise Violated("indexed, not found", said)


def _stood(
    version: Version, pk: str, record_id: str, world: "World", began: float, ended: float
) -> bool:
    seen = world.truth.seen((pk, record_id), began, ended)
    return version.status == ACTIVE and seen == [version] and version.visible < began


def _excused(pk: str, record_id: str, answer: SearchAnswer, world: "World", began: float) -> bool:
    """Whether the ledger of some generation names it, it has no place on a semantic search, or its
    entry was damaged from outside.
    """
    if answer.request.mode is Mode.SEMANTIC:
        return True
    name = document_id(pk, record_id)
    return any(
        name in index.damaged
        or index.mended.get(name, -1) > began
        or world.table.true(Key(pk, f"U#{index.generation}#{record_id}")) is not None
        for index in world.engine.indices.values()
    )
