"""Shrinking: the smallest plan found that still violates the same invariant."""

from dataclasses import dataclass

from simulation.faults import Fault
from simulation.plans import Plan
from simulation.run import Outcome, run

SCHEDULES = 25
"""Schedules that are tried for each smaller plan."""

HARMLESS = ("index", "embedder", "table", *(fault.value for fault in Fault))


@dataclass(frozen=True, slots=True)
class Small:
    """A plan with the schedule that makes it fail."""

    plan: Plan
    schedule: str
    outcome: Outcome


def shrunk(plan: Plan, seed: int, invariant: str) -> Small:
    """Drop actors, operations and faults as long as it still fails in the same way."""
    found = _failing(plan, f"schedule {seed}", invariant)
    if found is None:
        raise ValueError("the plan does not fail")
    smaller: Small | None = found
    while smaller is not None:
        found = smaller
        smaller = next(
            (
                small
                for less in found.plan.smaller(HARMLESS)
                if (small := _failing(less, found.schedule, invariant)) is not None
            ),
            None,
        )
    return found


def _failing(plan: Plan, schedule: str, invariant: str) -> Small | None:
    for number in range(SCHEDULES):
        seed = schedule if number == 0 else f"{schedule.partition(' again')[0]} again {number}"
        outcome = run(plan, seed)
        if outcome.violated is not None and outcome.violated.invariant == invariant:
            return Small(plan, seed, outcome)
    return None
