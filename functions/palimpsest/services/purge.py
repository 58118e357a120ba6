"""Purge: one commit hides everything of a namespace at once; a job erases it from every place.

The commit sets the floor at its own revision, begins the job and ends every reconcile pass. At or
below the floor nothing stands, whatever is still there.
"""

import random
import uuid
from dataclasses import dataclass

from palimpsest.domain.commits import Clock as NamespaceClock
from palimpsest.domain.commits import CommitPlan
from palimpsest.domain.errors import Throttled
from palimpsest.domain.idempotency import KEPT_FOR, Applied, IdempotencyKey
from palimpsest.domain.jobs import Job, JobKind, JobStatus, job_id, machine_input
from palimpsest.domain.records import Status
from palimpsest.ports import Clock, Jobs, JobStarter, RecordStore
from palimpsest.services.commit import BASE_PAUSE_S, MAX_PAUSE_S
from palimpsest.services.idempotency import applied_before


@dataclass(frozen=True, slots=True, kw_only=True)
class PurgeService:
    """Begins purges. `patience_s` bounds how long one contends for the clock."""

    store: RecordStore
    jobs: Jobs
    starter: JobStarter
    clock: Clock
    patience_s: float = 14.0

    def purge(
        self, tenant: str, namespace: str, *, by: str, key: IdempotencyKey | None = None
    ) -> Job:
        """The job of a purge whose commit is done. The same request under the same key gives the
        same job, and starts it if that failed before. Raises `IdempotencyMismatch`, `Throttled`.
        """
        end = self.clock.monotonic() + self.patience_s
        attempt = 0
        while True:
            job = self._before(tenant, namespace, key) or self._committed(
                tenant, namespace, by=by, key=key
            )
            if job is not None:
                break
            if self.clock.monotonic() >= end:
                raise Throttled("the namespace is too busy", retry_after=1.0)
            ceiling = min(MAX_PAUSE_S, BASE_PAUSE_S * 2 ** min(attempt, 10))
            self.clock.sleep(random.uniform(0, ceiling))  # noqa: S311  # full jitter, not a secret
            attempt += 1
        if not job.ended:
            self.starter.start(job.name, machine_input(job))
        return job

    def _before(self, tenant: str, namespace: str, key: IdempotencyKey | None) -> Job | None:
        if key is None:
            return None
        now = self.clock.now()
        found = applied_before(self.store, tenant, namespace, key, now=now, serial=True)
        return self.jobs.get(tenant, found.job) if found is not None else None

    def _committed(
        self, tenant: str, namespace: str, *, by: str, key: IdempotencyKey | None
    ) -> Job | None:
        clock, _ = self.store.read(tenant, namespace)
        plan = self._plan(tenant, namespace, clock, by=by, key=key)
        return plan.job if self.store.commit(plan) else None

    def _plan(
        self,
        tenant: str,
        namespace: str,
        clock: NamespaceClock,
        *,
        by: str,
        key: IdempotencyKey | None,
    ) -> CommitPlan:
        now, unique = self.clock.now(), str(uuid.uuid4())
        revision = clock.revision + 1
        job = Job(
            id=job_id(namespace, JobKind.PURGE, unique),
            kind=JobKind.PURGE,
            tenant=tenant,
            namespace=namespace,
            status=JobStatus.QUEUED,
            created_at=now,
            total=sum(clock.counts.values()),
            floor=revision,
        )
        keep = None
        if key is not None:
            keep = Applied(key=key, until=now + KEPT_FOR, revision=revision, job=job.id)
        return CommitPlan(
            tenant=tenant,
            namespace=namespace,
            commit_id=unique,
            clock=clock,
            counts=dict.fromkeys(Status, 0),
            changes=(),
            at=now,
            by=by,
            keep=keep,
            purges=True,
            job=job,
        )
