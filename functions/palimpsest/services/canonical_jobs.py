"""Canonical reconciles as they are asked for: of a small namespace at once, else as a job; and the
steps of that job, and of the daily one over all namespaces.
"""

import uuid
from collections.abc import Callable
from dataclasses import dataclass

from palimpsest.domain.errors import PalimpsestError
from palimpsest.domain.jobs import Job, JobKind, JobStatus, job_id, machine_input
from palimpsest.domain.pass_report import PassReport
from palimpsest.ports import Clock, Jobs, JobStarter, RecordStore
from palimpsest.services.canonical import CanonicalService
from palimpsest.services.job_records import JobRecords

MOST_AT_ONCE = 2_000
"""Records of a namespace that is compared within its request."""

Names = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class CanonicalRequests:
    """Answers requests for canonical reconciles."""

    canonical: CanonicalService
    store: RecordStore
    jobs: Jobs
    starter: JobStarter
    clock: Clock

    def reconcile(
        self, tenant: str, namespace: str, *, dry_run: bool, job: bool
    ) -> PassReport | Job:
        """The report, or (`job`: in any case) the job it has become."""
        clock, _ = self.store.read(tenant, namespace)
        records = sum(clock.counts.values())
        if not job and records <= MOST_AT_ONCE:
            return self.canonical.reconcile(tenant, namespace, dry_run=dry_run)
        begun = Job(
            id=job_id(namespace, JobKind.CANONICAL, str(uuid.uuid4())),
            kind=JobKind.CANONICAL,
            tenant=tenant,
            namespace=namespace,
            status=JobStatus.QUEUED,
            created_at=self.clock.now(),
            total=records,
            dry_run=dry_run,
        )
        self.jobs.begin(begun)
        self.starter.start(begun.name, machine_input(begun))
        return begun


@dataclass(frozen=True, slots=True, kw_only=True)
class CanonicalJobService:
    """Takes the steps of canonical jobs. `drifted` is told of each namespace how many entries were
    not what they should be.
    """

    canonical: CanonicalService
    store: RecordStore
    jobs: Jobs
    clock: Clock
    drifted: Callable[[str, str, int], None]

    def mend(self, job: Job) -> None:
        """Do the whole of a job and end it with its report."""
        if job.ended:
            return
        records = JobRecords(self.jobs, self.clock, job)
        records.started()
        report = self.canonical.reconcile(job.tenant, job.namespace, dry_run=job.dry_run)
        records.succeeded({**report.to_json(), "warnings": []}, total=job.total)

    def daily(self, after: str, *, until: float) -> tuple[str, bool]:
        """Every namespace after one (`tenant#namespace`), beginning none after `until`; the last
        one that was looked at, and whether that was all. One that fails is told as drifted by -1
        and holds up no other.
        """
        for tenant, namespace in sorted(self.store.namespaces()):
            name = f"{tenant}#{namespace}"
            if name <= after:
                continue
            if self.clock.monotonic() >= until:
                return after, False
            self.drifted(tenant, namespace, self._drift(tenant, namespace))
            after = name
        return after, True

    def _drift(self, tenant: str, namespace: str) -> int:
        try:
            report = self.canonical.reconcile(tenant, namespace, dry_run=False)
        except PalimpsestError:
            return -1
        return report.added + report.updated + report.removed
