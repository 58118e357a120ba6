"""Workers as Lambda has them: each is a process with services of its own, serves one request at a
time, remembers what it remembers, and is replaced when it has died.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from simulation.scheduling import Actor, Process, Scheduler

T = TypeVar("T")


@dataclass(slots=True, eq=False)
class Worker:
    """One process and its services."""

    process: Process
    services: Any
    busy: bool = False


class Workers:
    """Workers by function. `made` builds the services of a function by its name."""

    def __init__(self, scheduler: Scheduler, made: dict[str, Callable[[], Any]]) -> None:
        self._scheduler = scheduler
        self._made = made
        self._pools: dict[str, list[Worker]] = {name: [] for name in made}
        self._count = 0

    def call(self, function: str, work: Callable[[Any], T]) -> T:
        """What `work` does with the services of a function. Raises what it raises; `Died` if its
        process died.
        """
        worker = self._free(function)
        name = worker.process.name
        actor = self._scheduler.spawn(name, lambda: work(worker.services), process=worker.process)
        worker.busy = True
        try:
            result: T = self._scheduler.wait(actor, None)
            return result
        finally:
            worker.busy = False

    def kill(self, *functions: str) -> None:
        """Every process of these functions dies."""
        for name in functions:
            for worker in self._pools[name]:
                worker.process.alive = False

    def of(self, process: Process) -> Any:
        """The services of a process."""
        return next(
            worker.services
            for pool in self._pools.values()
            for worker in pool
            if worker.process is process
        )

    def _free(self, function: str) -> Worker:
        pool = self._pools[function] = [one for one in self._pools[function] if one.process.alive]
        free = [worker for worker in pool if not worker.busy]
        if free:
            return free[0]
        self._count += 1
        worker = Worker(Process(f"{function} {self._count}"), self._made[function]())
        pool.append(worker)
        return worker


@dataclass(slots=True)
class Running:
    """`Pending` of an actor."""

    scheduler: Scheduler
    actor: Actor

    def result(self, timeout: float | None = None) -> Any:
        return self.scheduler.wait(self.actor, timeout)


@dataclass(slots=True)
class SimulatedExecutor:
    """`Executor` whose work runs in actors of the caller's process."""

    scheduler: Scheduler
    outside: Process
    started: int = field(default=0)

    def submit(self, work: Callable[[], Any]) -> Running:
        current = self.scheduler.current
        process = current.process if current is not None else self.outside
        name = f"{current.name}+" if current is not None else "beside"
        return Running(self.scheduler, self.scheduler.spawn(name, work, process=process))
