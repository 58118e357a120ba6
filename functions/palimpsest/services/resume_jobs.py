"""Jobs that nobody works on any more are started again: whose start was lost, or whose machine was.

A state machine tells the jobs that it gives up. What it cannot tell is that it was never started,
or that it is gone with all it knew.
"""

from dataclasses import dataclass
from datetime import timedelta

from palimpsest.domain.jobs import Job, machine_input
from palimpsest.ports import Clock, Jobs, JobStarter, RecordStore
from palimpsest.services.job_records import JobRecords

MOST_STARTS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class ResumeService:
    """Looks after jobs. Their steps may be taken again, so a second start does no harm."""

    store: RecordStore
    jobs: Jobs
    starter: JobStarter
    clock: Clock

    def resume(self, *, older_than: timedelta) -> int:
        """Start again what is not running, of the jobs that were begun that long ago; how many.
        One that ended without an end `MOST_STARTS` times has failed.
        """
        before = self.clock.now() - older_than
        return sum(
            self._resumed(job)
            for tenant, namespace in self.store.namespaces()
            for job in self.jobs.unfinished(tenant, namespace)
            if job.created_at <= before
        )

    def _resumed(self, job: Job) -> bool:
        for number in range(1, MOST_STARTS + 1):
            name = job.name if number == 1 else f"{job.name}-{number}"
            running = self.starter.running(name)
            if running:
                return False
            if running is None:
                self.starter.start(name, machine_input(job))
                return True
        told = {"type": "internal", "detail": "the job was given up after several starts"}
        JobRecords(self.jobs, self.clock, job).failed(told)
        return False
