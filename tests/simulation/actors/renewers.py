"""Renewers: a namespace is filled, purged and filled anew, while its erasure is still at work."""

from dataclasses import replace
from typing import TYPE_CHECKING

from simulation.actors.purgers import purger
from simulation.actors.reconcilers import reconciler
from simulation.planned_passes import Purge
from simulation.plans import PlannedActor

if TYPE_CHECKING:
    from simulation.world import World


def renewer(world: "World", planned: PlannedActor, name: str) -> None:
    """Passes and purges in their order."""
    for number, operation in enumerate(planned.operations):
        alone = replace(planned, operations=(operation,))
        act = purger if isinstance(operation, Purge) else reconciler
        act(world, alone, f"{name}-{number}")
