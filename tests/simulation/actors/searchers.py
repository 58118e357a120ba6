"""Searchers: lexical, semantic and hybrid searches by the real service, some of which wait for what
has been written.
"""

from typing import TYPE_CHECKING

from palimpsest.domain.errors import PalimpsestError
from palimpsest.domain.queries import Mode, SearchAnswer, SearchRequest
from simulation import search_invariants
from simulation.plans import Ask, PlannedActor
from simulation.scheduling import Died

if TYPE_CHECKING:
    from simulation.world import World

WAIT_MS = 3_000
LIMIT = 10


def searcher(world: "World", planned: PlannedActor, name: str) -> None:
    """Search once after another; an outage is no answer and no fault."""
    del name
    for ask in planned.operations:
        assert isinstance(ask, Ask)
        world.pause()
        try:
            said: object = _search(world, planned, ask)
        except (PalimpsestError, Died) as error:
            said = repr(error)
        world.scheduler.note("search", str(ask), str(said))


def _search(world: "World", planned: PlannedActor, ask: Ask) -> object:
    request = SearchRequest(
        tenant=planned.tenant,
        namespaces=(planned.namespace,),
        query=f"{ask.words} {planned.tenant}{planned.namespace}",
        mode=Mode(ask.what),
        limit=LIMIT,
        min_revision=world.truth.clock(planned.pk) if ask.waits else None,
        wait_ms=WAIT_MS if ask.waits else 0,
    )
    began = world.scheduler.event()
    answer: SearchAnswer = world.call("search", lambda services: services.search.search(request))
    ended = world.scheduler.event()
    search_invariants.check(planned.pk, answer, world, began, ended)
    return [(hit.record.id, hit.record.revision) for hit in answer.hits], answer.degraded
