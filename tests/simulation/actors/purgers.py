"""Purgers: a namespace is purged, under an idempotency key until its job is known."""

from typing import TYPE_CHECKING

from palimpsest.domain.errors import PalimpsestError
from palimpsest.domain.idempotency import IdempotencyKey
from palimpsest.domain.jobs import Job
from simulation.passes import Purged
from simulation.planned_passes import Purge
from simulation.plans import PlannedActor
from simulation.scheduling import Died, Violated

if TYPE_CHECKING:
    from simulation.world import World

TRIES = 3
AFTER_S = (0.02, 0.3, 6.0)
"""How long it waits before each, at most: for what was just written to be under way, or settled."""


def purger(world: "World", planned: PlannedActor, name: str) -> None:
    """One purge after another."""
    for number, operation in enumerate(planned.operations):
        assert isinstance(operation, Purge)
        world.scheduler.sleep(world.chance.random() * world.chance.choice(AFTER_S))
        purge = Purged(f"{name}.{number}", planned.pk)
        world.passes.purges[purge.by] = purge
        for _ in range(TRIES if operation.keyed else 1):
            if _purged(world, planned, purge, keyed=operation.keyed):
                break
            world.pause()


def _purged(world: "World", planned: PlannedActor, purge: Purged, *, keyed: bool) -> bool:
    """One attempt; whether there was an answer."""
    names = planned.tenant, planned.namespace
    key = IdempotencyKey(purge.by, purge.by) if keyed else None
    try:
        job: Job = world.call("reconcile", lambda it: it.purges.purge(*names, by=purge.by, key=key))
    except (PalimpsestError, Died) as error:
        world.scheduler.note("no answer", purge.by, repr(error))
        return False
    world.scheduler.note("purged", purge.by, job.id)
    if len(purge.applied) != 1:
        raise Violated("once", f"{purge} was answered {job}")
    return True
