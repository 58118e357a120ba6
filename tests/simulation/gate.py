"""The gate that every call of a simulated port goes through: others may run, a fault may strike,
the caller may crash.
"""

from collections.abc import Callable
from typing import TypeVar

from simulation.faults import LOST, Fault, Faults
from simulation.scheduling import Crash, Process, Scheduler

T = TypeVar("T")

SLOW_S = (0.05, 0.5, 2.5, 6.0)
"""How long a slow call may take."""

LATE_S = 1.5
"""How much later than its time-out a request may take effect, at most."""


class Gate:
    """Calls of ports, one by one. `outside`: a process that never dies, for what is under way when
    its caller no longer is.
    """

    def __init__(self, scheduler: Scheduler, faults: Faults) -> None:
        self.scheduler = scheduler
        self.faults = faults
        self.outside = Process("outside")

    def enter(self, operation: str, said: object = "") -> Fault | None:
        """Let others go on, then tell which fault strikes. A crash before the call raises."""
        scheduler = self.scheduler
        scheduler.pause()
        fault = self.faults.strike(operation)
        if fault is None:
            scheduler.note(operation, said)
            return None
        scheduler.note(operation, said, fault.value)
        if fault is Fault.CRASH_BEFORE:
            self.crash()
        if fault is Fault.SLOW:
            scheduler.sleep(scheduler.chance.choice(SLOW_S) * scheduler.chance.random())
            return None
        return fault

    def crash(self) -> None:
        """The process of the caller dies here."""
        actor = self.scheduler.current
        if actor is not None:
            actor.process.alive = False
            raise Crash

    def late(self, name: str, effect: Callable[[], object]) -> None:
        """Let `effect` happen when its caller no longer waits for it."""
        after = self.scheduler.chance.random() * LATE_S
        self.scheduler.spawn(f"late {name}", effect, process=self.outside, after=after)

    def settle(self, fault: Fault | None, name: str, effect: Callable[[], T]) -> T | None:
        """Bring about the effect of a call that no fault has kept from it: now, or late."""
        if fault is Fault.LATE:
            self.late(name, effect)
            return None
        result = effect()
        if fault is Fault.CRASH_AFTER:
            self.crash()
        return None if fault in LOST else result
