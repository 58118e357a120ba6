"""The schedule: sweeps of everything, rarely."""

from typing import TYPE_CHECKING

from simulation.plans import PlannedActor

if TYPE_CHECKING:
    from simulation.world import World

RARELY_S = 20.0


def sweeper(world: "World", planned: PlannedActor, name: str) -> None:
    """Sweep now and then, as the projector's schedule does."""
    del name
    for _ in planned.operations:
        world.scheduler.sleep(world.chance.random() * RARELY_S)
        world.sweep()
