"""Canonical reconciles: the index is damaged from outside, then compared with the table."""

from typing import TYPE_CHECKING

from palimpsest.domain.errors import PalimpsestError
from palimpsest.domain.pass_report import PassReport
from simulation import canonical_invariants
from simulation.damage import damaged
from simulation.planned_passes import Canonical
from simulation.plans import PlannedActor
from simulation.scheduling import Died

if TYPE_CHECKING:
    from simulation.world import World


def canonical(world: "World", planned: PlannedActor, name: str) -> None:
    """One canonical reconcile after another."""
    names = planned.tenant, planned.namespace
    for operation in planned.operations:
        assert isinstance(operation, Canonical)
        world.scheduler.sleep(world.chance.random() * world.chance.choice((0.3, 5.0)))
        for kind in operation.damages:
            damaged(world, planned.pk, kind)
        dry, job = operation.dry_run, operation.job
        began = world.scheduler.event()
        try:
            done: object = world.call(
                "reconcile",
                lambda it, d=dry, j=job: it.canonical.reconcile(*names, dry_run=d, job=j),  # type: ignore[misc]
            )
        except (PalimpsestError, Died) as error:
            done = error
        world.scheduler.note("canonical", name, repr(done))
        if isinstance(done, PassReport):
            canonical_invariants.check(planned.pk, done.to_json(), world, began)
