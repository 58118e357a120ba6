"""The state machine of jobs as a plain loop that takes a step again where it failed."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeVar

from palimpsest.domain.jobs import Job
from reconcile_world import LATER, ReconcileWorld

T = TypeVar("T")


MOST_TRIES = 5


class Killed(BaseException):
    """The process is gone."""


@dataclass(frozen=True, slots=True)
class RepeatingMachine:
    """Takes steps again where they fail with one of these errors."""

    world: ReconcileWorld
    errors: tuple[type[BaseException], ...] = (Killed,)

    def again(self, step: Callable[[], T]) -> T:
        """A step, as often as it takes."""
        for _ in range(MOST_TRIES):
            with suppress(*self.errors):
                return step()
        return step()

    def now(self, job: Job) -> Job:
        """The job as it stands."""
        return self.again(lambda: self.world.job(job))

    def run(self, job: Job) -> Job:
        """The steps of a reconcile job."""
        steps, world = self.world.pass_jobs, self.world
        pages, apply = self.again(lambda: steps.plan(world.job(job)))
        if apply:
            for page in pages:
                self._prepare(job, page)
            while not self.again(lambda: steps.apply(world.job(job), until=LATER)):
                pass
            self.again(lambda: steps.verify(world.job(job), until=LATER))
        self.again(lambda: steps.finish(world.job(job)))
        return self.now(job)

    def _prepare(self, job: Job, page: int) -> None:
        world = self.world
        self.again(lambda: world.pass_jobs.prepare(world.job(job), page, until=LATER))

    def purge(self, job: Job) -> Job:
        """The steps of a purge."""
        steps, world = self.world.purge_jobs, self.world
        while not self.again(lambda: steps.erase(world.job(job), until=LATER)):
            pass
        self.again(lambda: steps.finish(world.job(job)))
        return self.now(job)
