"""A pass as a job: the steps that a state machine takes, each of which may be taken again."""

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from palimpsest.domain.errors import InvalidRequest, NotFound
from palimpsest.domain.jobs import Job, JobRefused
from palimpsest.domain.pass_report import PassReport
from palimpsest.domain.passes import Displaced, Pass
from palimpsest.ports import Clock, Fences, Jobs, ObjectStore
from palimpsest.services.job_records import JobRecords
from palimpsest.services.reconciling.beginning import BeginningService
from palimpsest.services.reconciling.pass_files import Desired, PassFiles, work_prefix
from palimpsest.services.reconciling.pass_state import PassState
from palimpsest.services.reconciling.planning import Planned, PlanningService, distinct
from palimpsest.services.reconciling.steps import PassSteps, begun_of

Warnings = list[dict[str, str]]
ListReader = Callable[[Iterable[bytes], Warnings], Iterator[Desired]]
"""Checks the lines of a list, and tells what it has mended; raises `InvalidRequest` at the first
that breaks a rule.
"""

WARNINGS_TOLD = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class PassJobService:
    """Takes the steps of reconcile jobs. `read_list` checks lists that came as an object."""

    beginning: BeginningService
    planning: PlanningService
    steps: PassSteps
    fences: Fences
    jobs: Jobs
    objects: ObjectStore
    clock: Clock
    read_list: ListReader

    def plan(self, job: Job) -> tuple[list[int], bool]:
        """Begin the pass, if it has not begun, and plan it: the numbers of its pages, and whether
        there is anything to apply. Raises `JobRefused` for a list that breaks a rule.
        """
        files = self._files(job)
        state = _state(files)
        if job.ended or state is None:
            return [], False
        if state.planned is None and state.newest is None:
            self._records(job).started()
            state = self._planned(job, state, files)
        if state.planned is None or state.dry_run or state.newest is not None:
            return [], False
        return list(range(state.planned.pages)), True

    def prepare(self, job: Job, page: int, *, until: float) -> None:
        """Embed the texts of a page."""
        files = self._files(job)
        state = _state(files)
        if state is None or job.ended:
            return
        try:
            self.steps.prepare(begun_of(state)[0], files, page, until=until)
        except NotFound as lost:
            self._purged_meanwhile(state, lost)

    def apply(self, job: Job, *, until: float) -> bool:
        """Commit page after page, beginning none after `until`; whether all are done, or none can
        be any more.
        """
        files = self._files(job)
        state = _state(files)
        if job.ended or state is None or state.newest is not None:
            return True
        planned, records = begun_of(state)[1], self._records(job)
        try:
            while state.pages < planned.pages:
                if self.clock.monotonic() >= until:
                    return False
                state = self.steps.apply_next(state, files, until=math.inf)
                files.keep_state(state.to_json())
                share = planned.changes * state.pages // planned.pages
                records.progress(share, planned.changes)
        except Displaced as error:
            files.keep_state(replace(state, newest=error.newest).to_json())
        except NotFound as lost:
            newest = self._purged_meanwhile(state, lost)
            files.keep_state(replace(state, newest=newest).to_json())
        return True

    def verify(self, job: Job, *, until: float) -> bool:
        """Carry what was committed into the index; whether that was done by `until`."""
        state = _state(self._files(job))
        if state is not None and not job.ended and state.newest is None and not state.dry_run:
            return self.steps.verifying.caught_up(job.tenant, job.namespace, until=until)
        return True

    def finish(self, job: Job) -> None:
        """Look at what was done once more and end the job with its report."""
        files = self._files(job)
        state = _state(files)
        if not job.ended and state is None:
            self._records(job).succeeded(self._purged(job), total=job.total)
        elif not job.ended and state is not None:
            self._end(job, state, files)
        files.erase()

    def abandon(self, job: Job) -> None:
        """Remove what a job that has failed leaves behind."""
        self._files(job).erase()

    def _end(self, job: Job, state: PassState, files: PassFiles) -> None:
        planned = state.planned
        try:
            if state.newest is not None or planned is None:
                report = self.steps.stale(state, state.newest or 0)
            elif state.dry_run:
                report = self.steps.previewed(state, planned)
            else:
                report = self.steps.report(state, files)
        except Displaced as error:
            report = self.steps.stale(state, error.newest)
        total = planned.changes if planned is not None else 0
        told = {**report.to_json(), "warnings": list(map(dict, state.warnings))}
        done = job.done if report.reason == "stale" else total
        self._records(job).succeeded(told, total=total, done=done)

    def _purged(self, job: Job) -> dict[str, object]:
        """The report of a pass whose files a purge has erased, with what it was asked for."""
        clock, _ = self.steps.store.read(job.tenant, job.namespace)
        report = PassReport(
            applied=False,
            namespace=job.namespace,
            revision=clock.revision,
            source_revision=None,
            dry_run=job.dry_run,
            reason="stale",
            newest=self.fences.read(job.tenant, job.namespace).begun,
        )
        return {**report.to_json(), "warnings": []}

    def _planned(self, job: Job, state: PassState, files: PassFiles) -> PassState:
        warnings: Warnings = []
        try:
            one = self._begun(state, warnings)
            state = replace(state, begun=one, warnings=tuple(warnings[:WARNINGS_TOLD]))
            if not state.dry_run:
                files.keep_state(state.to_json())
            planned = self._plan(one, state, files)
            state = replace(state, planned=planned)
            self._records(job).progress(0, planned.changes)
        except Displaced as error:
            state = replace(state, newest=error.newest)
        except NotFound as lost:
            state = replace(state, newest=self._purged_meanwhile(state, lost))
        except InvalidRequest as error:
            raise JobRefused.of(error) from error
        files.keep_state(state.to_json())
        return state

    def _purged_meanwhile(self, state: PassState, lost: NotFound) -> int:
        """The newest R begun, where a purge has ended the pass and erased its files while a step
        was at work; raises `lost` where none has.
        """
        fence = self.fences.read(state.request.tenant, state.request.namespace)
        if fence.attempt == state.attempt:
            raise lost
        return fence.begun

    def _begun(self, state: PassState, warnings: Warnings) -> Pass:
        if state.begun is not None:
            return state.begun
        for _ in distinct(self._desired(state, warnings)):  # it is checked before anything begins
            pass
        if state.dry_run:
            return self.beginning.preview(state.request)
        fence = self.fences.read(state.request.tenant, state.request.namespace)
        if fence.attempt == state.attempt:
            return self.beginning.resume(state.request, attempt=state.attempt)
        return self.beginning.begin(state.request, attempt=state.attempt, asked=state.asked)

    def _plan(self, one: Pass, state: PassState, files: PassFiles) -> Planned:
        keep = None if state.dry_run else files
        desired = files.kept_list if state.key is None else lambda: self._desired(state, [])
        return self.planning.plan(one, desired, keep)

    def _desired(self, state: PassState, warnings: Warnings) -> Iterator[Desired]:
        if state.key is None:
            return
        try:
            yield from self.read_list(self.objects.lines(state.key), warnings)
        except NotFound as error:
            raise InvalidRequest.one("body", "active_uri", msg="there is no such list") from error

    def _records(self, job: Job) -> JobRecords:
        return JobRecords(self.jobs, self.clock, job)

    def _files(self, job: Job) -> PassFiles:
        return PassFiles(self.objects, work_prefix(job.tenant, job.namespace, job.name))


def _state(files: PassFiles) -> PassState | None:
    """The state of the pass; None once its files are gone: it has ended, or was purged."""
    try:
        return PassState.from_json(files.state())
    except NotFound:
        return None
