"""One run: the plan's actors under one scheduler, then quiet, then everything at rest."""

import gc
import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from simulation import rest_invariants
from simulation.actors import KINDS
from simulation.drawing import Drawing
from simulation.faults import Fault
from simulation.plans import Plan, PlannedActor
from simulation.scheduling import Process, Violated
from simulation.world import World

SWEEPS = 6
REMEMBERED_S = 30.0
"""Longer than any process goes on with what it knows of the index."""

COLLECTED_EVERY = 20


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run ended: what was violated (None: nothing), its trace, its faults, its steps."""

    violated: Violated | None
    trace: Sequence[tuple[Any, ...]] = field(repr=False)
    faults: Counter[tuple[str, Fault]] = field(repr=False)
    steps: int
    half_seen: int = 0
    lost_wakes: int = 0
    commits: int = 0

    @property
    def digest(self) -> str:
        """The identity of the trace."""
        return hashlib.sha256(repr(self.trace).encode()).hexdigest()


def run_seed(seed: int, *, scenario: str | None = None) -> tuple[Plan, Outcome]:
    """The plan of a seed, and how it went."""
    plan = Drawing(seed).plan(scenario)
    return plan, run(plan, f"schedule {seed}")


def run(plan: Plan, seed: str) -> Outcome:
    """How a plan goes under that schedule."""
    gc.disable()  # greenlets and their frames are many, and none of them lives long
    world = World(plan, seed)
    violated = None
    try:
        with world.running():
            world.begin()
            for number, planned in enumerate(plan.actors):
                world.scheduler.spawn(
                    f"{planned.kind} {number}",
                    partial(_live, world, planned, f"{planned.kind} {number}"),
                    process=_process(world, planned),
                )
            world.scheduler.run()
            _come_to_rest(world)
    except Violated as error:
        violated = error
    return Outcome(
        violated,
        world.scheduler.trace,
        world.faults.counts,
        world.scheduler.steps,
        world.table.half_seen,
        world.stream.lost,
        sum(len(ticks) - 1 for ticks in world.truth.ticks.values()),
    )


def _process(world: World, planned: PlannedActor) -> Process:
    """Who survives a restore is none of those that it ends."""
    survives = planned.kind in {"restorer", "late client"}
    return Process(planned.kind) if survives else world.clients


def _live(world: World, planned: PlannedActor, name: str) -> None:
    try:
        KINDS[planned.kind](world, planned, name)
    except Exception as error:
        raise Violated("failures", f"{name}: {error!r}") from error


def _come_to_rest(world: World) -> None:
    """No more faults; sweeps until all is in line."""
    world.faults.on = False
    world.scheduler.note("quiet")

    def resumed() -> None:
        world.scheduler.sleep(REMEMBERED_S)
        world.take({"step": "resume", "older_than_s": 0})

    def swept() -> None:
        world.scheduler.sleep(REMEMBERED_S)
        for _ in range(SWEEPS):
            if world.sweep():
                return
            world.scheduler.sleep(1.0)
        raise Violated("ends", "the sweeps never succeed")

    def mended() -> None:
        for pk in world.truth.partitions() if world.passes.damaging else ():
            world.mend(*pk.split("#"))

    for _ in range(2):  # the second for jobs whose machine had not gone yet
        _alone(world, resumed)
    _alone(world, swept)
    _alone(world, mended)
    _alone(world, partial(rest_invariants.check, world))


def _alone(world: World, work: Callable[[], None]) -> None:
    actor = world.scheduler.spawn("quiet", work, process=Process("quiet"))
    world.scheduler.run()
    if actor.error is not None:
        raise Violated("failures", f"at rest: {actor.error!r}") from actor.error
