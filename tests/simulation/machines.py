"""The simulated state machines: executions by name, each taking the steps of one job by the real
handler, every step repeated until it succeeds. A machine may be gone with all it knew, and a step
may be taken again while it is still at work.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from palimpsest.domain.errors import DeadlineExceeded, PalimpsestError, Unavailable
from palimpsest.domain.jobs import JobRefused
from simulation.faults import Fault
from simulation.objects import refused
from simulation.scheduling import Died, Violated

if TYPE_CHECKING:
    from simulation.world import World

STAGE = "jobs"
TRIES = 150
RETRIED_AFTER_S = 1.0
GIVEN_UP_S = 0.4
"""How long a machine waits at most for a step that it takes again."""


class Gone(Exception):
    """The machine of an execution is no more."""


@dataclass(slots=True, eq=False)
class Execution:
    """One execution."""

    name: str
    payload: Mapping[str, Any]
    running: bool = True


class Machines:
    """`JobStarter`, and what is started."""

    def __init__(
        self, world: "World", handle: Callable[[dict[str, Any]], Mapping[str, Any]]
    ) -> None:
        self._world = world
        self._handle = handle
        self.executions: dict[str, Execution] = {}
        self.disturbed = False
        """Whether a machine was gone, or a step was taken again while it was at work."""

    def start(self, name: str, payload: Mapping[str, Any]) -> None:
        gate = self._world.gate
        fault = refused(gate, "jobs.start", name, stage=STAGE)
        started = gate.settle(fault, "start", lambda: self._started(name, payload))
        if started is None and fault is Fault.LOST_TIMEOUT:
            raise DeadlineExceeded("simulated", stage=STAGE)
        if started is None:
            raise Unavailable("simulated", stage=STAGE)

    def running(self, name: str) -> bool | None:
        refused(self._world.gate, "jobs.start", f"running {name}", stage=STAGE)
        found = self.executions.get(name)
        return None if found is None else found.running

    def _started(self, name: str, payload: Mapping[str, Any]) -> bool:
        standing = self.executions.get(name)
        if standing is not None:
            if standing.payload != payload:
                raise ValueError(f"{name} was started with another payload")
            return True
        one = self.executions[name] = Execution(name, payload)
        outside = self._world.gate.outside
        self._world.scheduler.spawn(
            f"machine {name[:16]}", partial(self._run, one), process=outside
        )
        return True

    def _run(self, one: Execution) -> None:
        try:
            _KINDS[one.payload["kind"]](self, one.payload)
        except Gone:
            self.disturbed = True
            self._world.scheduler.note("the machine is gone", one.name)
        except JobRefused as error:
            told = {"Error": type(error).__name__, "Cause": f'{{"errorMessage": {_quoted(error)}}}'}
            self._step(one.payload, "failed", error=told)
        finally:
            one.running = False

    def _pass(self, payload: Mapping[str, Any]) -> None:
        plan = payload["plan"] if payload.get("prepared") else self._step(payload, "plan")
        if plan["apply"]:
            scheduler = self._world.scheduler
            pages = [
                scheduler.spawn(
                    f"page {page}",
                    partial(self._step, payload, "prepare", page=page),
                    process=self._world.gate.outside,
                )
                for page in plan["pages"]
            ]
            for page in pages:
                scheduler.wait(page, None)
            self._until_done(payload, "apply")
            self._until_done(payload, "verify")
        self._step(payload, "finish")

    def _purge(self, payload: Mapping[str, Any]) -> None:
        self._until_done(payload, "erase")
        self._step(payload, "finish")

    def _mend(self, payload: Mapping[str, Any]) -> None:
        self._until_done(payload, "mend")

    def _until_done(self, payload: Mapping[str, Any], step: str) -> None:
        for _ in range(TRIES):
            if self._step(payload, step)["done"]:
                return
        raise Violated("ends", f"the step {step} of {payload} is never done")

    def _step(self, payload: Mapping[str, Any], step: str, **more: Any) -> Mapping[str, Any]:
        event = {"step": step, "tenant": payload["tenant"], "job": payload["job"], **more}
        scheduler = self._world.scheduler
        for _ in range(TRIES):
            fault = self._world.faults.strike("jobs.run")
            if fault is Fault.OUTAGE:
                raise Gone
            try:
                told = self._taken(event, again=fault is Fault.TIMEOUT)
            except JobRefused:
                raise
            except (PalimpsestError, Died, TimeoutError) as error:
                scheduler.note("step failed", step, payload["job"], repr(error))
            else:
                scheduler.note("step", step, payload["job"], str(told))
                return told
            scheduler.sleep(scheduler.chance.random() * RETRIED_AFTER_S)
        raise Violated("ends", f"the step {step} of {payload} never succeeds")

    def _taken(self, event: dict[str, Any], *, again: bool) -> Mapping[str, Any]:
        if not again:
            return self._handle(event)
        self.disturbed = True
        scheduler = self._world.scheduler
        work = partial(self._handle, event)
        step = scheduler.spawn("step", work, process=self._world.gate.outside)
        told: Mapping[str, Any] = scheduler.wait(step, scheduler.chance.random() * GIVEN_UP_S)
        return told


def _quoted(error: JobRefused) -> str:
    return json.dumps(str(error))


_KINDS: Mapping[str, Callable[[Machines, Mapping[str, Any]], None]] = {
    "reconcile": Machines._pass,
    "purge": Machines._purge,
    "canonical": Machines._mend,
}
