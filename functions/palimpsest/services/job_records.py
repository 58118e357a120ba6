"""What is told of a job while it runs and when it ends."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from palimpsest.domain.jobs import Job, JobStatus
from palimpsest.ports import Clock, Jobs


@dataclass(slots=True)
class JobRecords:
    """Keeps the record of one job."""

    jobs: Jobs
    clock: Clock
    job: Job

    def started(self) -> None:
        """It is being worked on, since now if it was not before."""
        started = self.job.started_at or self.clock.now()
        self._save(replace(self.job, status=JobStatus.RUNNING, started_at=started))

    def progress(self, done: int, total: int) -> None:
        """So much of it is done."""
        started = self.job.started_at or self.clock.now()
        running = replace(self.job, status=JobStatus.RUNNING, started_at=started)
        self._save(replace(running, done=done, total=total))

    def succeeded(self, result: Mapping[str, Any], *, total: int, done: int | None = None) -> None:
        """It has ended, with this result."""
        done = total if done is None else done
        self._end(replace(self.job, done=done, total=total, result=result), JobStatus.SUCCEEDED)

    def failed(self, error: Mapping[str, Any]) -> None:
        """It has ended without a result."""
        self._end(replace(self.job, error=error), JobStatus.FAILED)

    def _end(self, job: Job, status: JobStatus) -> None:
        now = self.clock.now()
        self._save(replace(job, status=status, started_at=job.started_at or now, finished_at=now))

    def _save(self, job: Job) -> None:
        self.job = job
        self.jobs.save(job)
