"""An operator who carries the index over to another generation, step by step, each repeated until
it succeeds.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from palimpsest.domain.errors import PalimpsestError
from palimpsest.services.carry_over import NotReady
from simulation.plans import Do, PlannedActor
from simulation.scheduling import Died

if TYPE_CHECKING:
    from simulation.world import World

TRIES = 25
BACKFILL_S = 600.0


def operator(world: "World", planned: PlannedActor, name: str) -> None:
    """Take one step after another; one that is not ready is given up."""
    del name
    for operation in planned.operations:
        assert isinstance(operation, Do)
        world.pause()
        for _ in range(TRIES):
            try:
                done = world.call("operator", partial(_step, operation))
            except NotReady as error:
                world.scheduler.note("not ready", operation.step, str(error))
                if "not equal" not in str(error):
                    break
            except (PalimpsestError, Died) as error:
                world.scheduler.note("failed", operation.step, repr(error))
            else:
                world.scheduler.note("done", operation.step, str(done))
                break
            world.pause()


def _step(operation: Do, services: Any) -> object:
    return STEPS[operation.step](services.carry_over)


STEPS: Mapping[str, Callable[[Any], object]] = {
    "begin": lambda it: it.begin(),
    "rebuild": lambda it: it.rebuild(),
    "backfill": lambda it: it.backfill(until=it.clock.monotonic() + BACKFILL_S),
    "switch": lambda it: it.switch(),
    "roll back": lambda it: it.roll_back(),
    "drop": lambda it: it.drop(),
}
