"""Reconcile as it is asked for: a short pass is done in its request, a long one becomes a job."""

import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from palimpsest.domain.errors import Throttled, Unavailable
from palimpsest.domain.jobs import Job, JobKind, JobStatus, job_id, machine_input
from palimpsest.domain.pass_report import PassReport
from palimpsest.domain.passes import Displaced
from palimpsest.ports import Clock, Jobs, JobStarter, ObjectStore
from palimpsest.services.reconciling.beginning import Asked, BeginningService, PassRequest
from palimpsest.services.reconciling.pass_files import Desired, PassFiles, work_prefix
from palimpsest.services.reconciling.pass_state import PassState
from palimpsest.services.reconciling.planning import PlanningService, distinct
from palimpsest.services.reconciling.steps import PassSteps, begun_of

MOST_CHANGES = 1_000
"""Of a pass that is done within its request."""

MOST_LISTED = 5_000
"""Records of a list that is planned within its request: a longer one is a job at once, since on a
busy machine the plan alone would take too long.
"""

PREPARED_S = 9.0
APPLIED_S = 14.0
INDEXED_S = 17.0
"""Seconds after which a request hands over what is left: so that it ends within 20 s."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReconcileService:
    """Answers reconcile requests. `passing` holds the files of a pass for as long as its request
    lasts, `objects` those of a job.
    """

    beginning: BeginningService
    planning: PlanningService
    steps: PassSteps
    jobs: Jobs
    starter: JobStarter
    objects: ObjectStore
    passing: Callable[[], ObjectStore]
    clock: Clock

    def reconcile(
        self,
        request: PassRequest,
        desired: Sequence[Desired],
        *,
        dry_run: bool = False,
        job: bool = False,
    ) -> PassReport | Job:
        """The report of a pass over this list, or (`job`: in any case) the job it has become.

        Raises `InvalidRequest` for an id that is on the list twice, and for a list that is too
        long: nothing has begun then; and what the table raises.
        """
        for _ in distinct(desired):
            pass
        job = job or len(desired) > MOST_LISTED
        state = PassState(request=request, attempt=str(uuid.uuid4()), dry_run=dry_run)
        try:
            if job:
                return self._as_job(state, desired)
            if dry_run:
                one = self.beginning.preview(request)
                return self.steps.previewed(state, self.planning.plan(one, lambda: desired, None))
            return self._passed(state, desired)
        except Displaced as error:
            return self.steps.stale(state, error.newest)

    def read_later(self, request: PassRequest, key: str, *, dry_run: bool) -> PassReport | Job:
        """The job of a pass over the list in that object, which is checked in the job; the report
        of one that is too old already.
        """
        state = PassState(request=request, attempt=str(uuid.uuid4()), dry_run=dry_run, key=key)
        try:
            asked = Asked(self.clock.now(), self.beginning.preview(request).floor)
        except Displaced as error:
            return self.steps.stale(state, error.newest)
        state = replace(state, asked=asked)
        return self._started(state, self._files(state, self.objects), prepared=False)

    def _as_job(self, state: PassState, desired: Sequence[Desired]) -> Job:
        files = self._files(state, self.objects)
        if not state.dry_run:
            begun = self.beginning.begin(state.request, attempt=state.attempt)
            state = replace(state, begun=begun)
        files.keep_state(state.to_json())  # first, so that a purge knows whose files they are
        files.keep_list(desired)
        return self._started(state, files, prepared=False)

    def _passed(self, state: PassState, desired: Sequence[Desired]) -> PassReport | Job:
        start, files = self.clock.monotonic(), self._files(state, self.passing())
        begun = self.beginning.begin(state.request, attempt=state.attempt)
        planned = self.planning.plan(begun, lambda: desired, files)
        state = replace(state, begun=begun, planned=planned)
        if planned.changes > MOST_CHANGES:
            return self._handed_over(state, files)
        for page in range(planned.pages):
            if not self.steps.prepare(begun, files, page, until=start + PREPARED_S):
                late = self.clock.monotonic() >= start + PREPARED_S
                if late:
                    return self._handed_over(state, files)
        state = self._applied(state, files, planned.pages, until=start + APPLIED_S)
        if state.pages < planned.pages:
            return self._handed_over(state, files)
        if not self._indexed(state, until=start + INDEXED_S):
            return self._handed_over(state, files)
        return self.steps.report(state, files)

    def _indexed(self, state: PassState, *, until: float) -> bool:
        """Whether the index has been brought up to the pass by then; of one that cannot answer the
        report tells.
        """
        request = state.request
        try:
            return self.steps.verifying.caught_up(request.tenant, request.namespace, until=until)
        except (Unavailable, Throttled):
            return True

    def _applied(
        self, state: PassState, files: PassFiles, pages: int, *, until: float
    ) -> PassState:
        """The state after as many pages as could be committed by then, on a busy namespace too."""
        while state.pages < pages and self.clock.monotonic() < until:
            try:
                state = self.steps.apply_next(state, files, until=until)
            except Throttled:
                break
        return state

    def _handed_over(self, state: PassState, files: PassFiles) -> Job:
        self._files(state, self.objects).keep_state(state.to_json())
        return self._started(state, files.moved_to(self.objects), prepared=True)

    def _started(self, state: PassState, files: PassFiles, *, prepared: bool) -> Job:
        files.keep_state(state.to_json())
        request = state.request
        total = state.planned.changes if state.planned is not None else 0
        job = Job(
            id=_job_id(state),
            kind=JobKind.RECONCILE,
            tenant=request.tenant,
            namespace=request.namespace,
            status=JobStatus.QUEUED,
            created_at=self.clock.now(),
            total=total,
            dry_run=state.dry_run,
        )
        self.jobs.begin(job)
        pages = begun_of(state)[1].pages if prepared else None
        self.starter.start(job.name, machine_input(job, pages))
        return job

    @staticmethod
    def _files(state: PassState, objects: ObjectStore) -> PassFiles:
        request = state.request
        name = f"{JobKind.RECONCILE}-{state.attempt}"
        return PassFiles(objects, work_prefix(request.tenant, request.namespace, name))


def _job_id(state: PassState) -> str:
    return job_id(state.request.namespace, JobKind.RECONCILE, state.attempt)
