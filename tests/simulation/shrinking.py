"""Shrinking: the smallest plan found that still violates the same invariant."""

import time
from dataclasses import dataclass
from itertools import islice

from simulation.faults import PORTS, Fault
from simulation.plans import Plan
from simulation.run import Outcome, run

SCHEDULES = 12
"""Schedules that are tried for each smaller plan."""

BUDGET_S = 120.0
HARMLESS = (*PORTS, *(fault.value for fault in Fault))


@dataclass(frozen=True, slots=True)
class Small:
    """A plan with the schedule that makes it fail."""

    plan: Plan
    schedule: str
    outcome: Outcome


def shrunk(plan: Plan, schedule: str, invariant: str, *, seconds: float = BUDGET_S) -> Small:
    """Drop actors, faults and operations as long as it still fails in the same way, for so many
    seconds. Raises `ValueError` for a plan that does not fail.
    """
    until = time.monotonic() + seconds
    found = _failing(plan, schedule, invariant, tries=1)
    if found is None:
        raise ValueError("the plan does not fail")
    place, since = 0, 0
    while time.monotonic() < until:
        less = next(islice(found.plan.smaller(HARMLESS), place, None), None)
        if less is None:  # begin anew, unless nothing could be dropped since the last time
            if not since:
                break
            place, since = 0, 0
            continue
        small = _failing(less, found.schedule, invariant, tries=SCHEDULES)
        if small is None:
            place += 1
        else:
            found, since = small, since + 1
    return found


def _failing(plan: Plan, schedule: str, invariant: str, *, tries: int) -> Small | None:
    name = schedule.partition(" again")[0]
    for number in range(tries):
        seed = schedule if number == 0 else f"{name} again {number}"
        outcome = run(plan, seed)
        if outcome.violated is not None and outcome.violated.invariant == invariant:
            return Small(plan, seed, outcome)
    return None
