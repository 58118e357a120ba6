"""A restore: every process dies, the table is put back to an older moment, and the operator's
restore runs until it succeeds, whatever interrupts it. Only then are writers let in again.
"""

from typing import TYPE_CHECKING

from palimpsest.domain.errors import PalimpsestError
from simulation.actors.clients import client
from simulation.plans import PlannedActor
from simulation.scheduling import Died, Violated

if TYPE_CHECKING:
    from simulation.world import World

COPIED_AFTER_S, LOST_AFTER_S = 10.0, 15.0
TRIES = 60


def restorer(world: "World", planned: PlannedActor, name: str) -> None:
    """Copy the table, put it back later, restore."""
    del name
    world.scheduler.sleep(world.chance.random() * COPIED_AFTER_S)
    copied = world.table.copy()
    world.scheduler.sleep(world.chance.random() * LOST_AFTER_S)
    world.end_everything()
    world.table.put_back(copied)
    world.transactions.forget_tokens()
    moment = world.scheduler.event()
    world.truth.put_back(copied, moment)
    clocks = {key.pk: int(item["rev"]["N"]) for key, item in copied.items() if key.sk == "CLOCK"}
    world.requests.put_back(clocks)
    for index in world.engine.indices.values():
        index.refresh()  # it takes longer than the second after which the engine does so
    known = {*clocks, *(pk for i in world.engine.indices.values() for pk in i.partitions())}
    world.scheduler.note("put back", clocks)
    (operation,) = planned.operations
    _restored(world, str(operation))
    for pk in sorted(known):
        lost = max(one.revision for one in world.truth.ticks[pk][:-1])
        if lost and world.truth.clock(pk) <= lost:
            raise Violated("clock", f"{pk} has not jumped past {lost}")
    world.restored = True


def _restored(world: "World", option: str) -> None:
    """The operator's command, again and again until it succeeds."""
    for _ in range(TRIES):
        world.workers.kill("operator")  # the command is a new process each time
        try:
            done = world.call("operator", lambda it: it.restore.restore(**{option: True}))
        except (PalimpsestError, Died) as error:
            world.scheduler.note("restore failed", repr(error))
            world.pause()
            continue
        world.scheduler.note("restored", str(done))
        return
    raise Violated("ends", "the restore never succeeds")


def late_client(world: "World", planned: PlannedActor, name: str) -> None:
    """A client that begins after the restore."""
    while not world.restored:
        world.scheduler.sleep(1.0)
    client(world, planned, name)
