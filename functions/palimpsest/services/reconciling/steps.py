"""The steps of a pass that has a plan, whoever takes them: a request, or a state machine."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from palimpsest.domain.errors import Throttled
from palimpsest.domain.pass_report import PassReport
from palimpsest.domain.passes import Displaced, Pass
from palimpsest.domain.planning import ChangeKind
from palimpsest.ports import Fences, RecordStore
from palimpsest.services.reconciling.applying import ApplyingService
from palimpsest.services.reconciling.pass_files import PassFiles
from palimpsest.services.reconciling.pass_state import PassState
from palimpsest.services.reconciling.planning import Planned
from palimpsest.services.reconciling.preparing import PreparingService
from palimpsest.services.reconciling.verifying import VerifyingService, verification


@dataclass(frozen=True, slots=True, kw_only=True)
class PassSteps:
    """Prepares, applies, verifies and finishes."""

    store: RecordStore
    fences: Fences
    preparing: PreparingService
    applying: ApplyingService
    verifying: VerifyingService

    def prepare(self, one: Pass, files: PassFiles, page: int, *, until: float) -> bool:
        """Embed a page's texts and keep the vectors, going on where it was left; whether all were
        tried by then.
        """
        before = files.vectors(page)
        if before.complete:
            return True
        done = self.preparing.prepare(one, files.page(page), before, until=until)
        files.keep_vectors(page, done)
        return done.complete

    def apply_next(self, state: PassState, files: PassFiles, *, until: float) -> PassState:
        """Commit the next page; the state after it. Raises as `ApplyingService.apply`."""
        one, _ = begun_of(state)
        prepared, page = files.vectors(state.pages), files.page(state.pages)
        commits = self.applying.apply(one, page, prepared.vectors, until=until)
        return state.with_page(commits, prepared.calls)

    def report(self, state: PassState, files: PassFiles) -> PassReport:
        """The report of a pass all of whose pages are committed. Raises `Displaced` if another has
        begun before this one was finished.
        """
        one, planned = begun_of(state)
        if not self.fences.finish(one.tenant, one.namespace, one.revision, attempt=one.attempt):
            raise Displaced(self.fences.read(one.tenant, one.namespace).begun)
        revision = self.store.read(one.tenant, one.namespace)[0].revision
        changed, wrong = list[str](), list[str]()
        table, listed, newer = planned.kept, planned.listed, Counter[ChangeKind]()
        for number in range(planned.pages):
            page = files.page(number)
            found = self.verifying.page(one, page)
            table, listed = table + found.table, listed - found.newer_listed
            wrong += found.wrong
            newer.update(found.newer)
            changed += [change.id for change in page]
        index = self.verifying.indexed(one, changed, upto=revision)
        verified, told = verification(
            listed=listed, table=table, wrong=wrong, index=index, revision=revision
        )
        return replace(
            _counted(state, planned, newer),
            applied=True,
            revision=revision,
            failed=index.failed,
            usage={"embedding_calls": state.calls, "commits": state.commits},
            verified=verified,
            verification=told,
        )

    def stale(self, state: PassState, newest: int) -> PassReport:
        """The report of a pass that was displaced, or came too late."""
        request = state.request
        clock, _ = self.store.read(request.tenant, request.namespace)
        return PassReport(
            applied=False,
            namespace=request.namespace,
            revision=clock.revision,
            source_revision=request.revision,
            dry_run=state.dry_run,
            usage={"embedding_calls": state.calls, "commits": state.commits},
            reason="stale",
            newest=newest,
        )

    def previewed(self, state: PassState, planned: Planned) -> PassReport:
        """The report of a dry run."""
        clock, _ = self.store.read(state.request.tenant, state.request.namespace)
        return replace(_counted(state, planned), revision=clock.revision, ids=planned.ids)


def begun_of(state: PassState) -> tuple[Pass, Planned]:
    """The pass and its plan. Raises `Throttled` where it is just being planned once more."""
    if state.begun is None or state.planned is None:
        raise Throttled("the pass is being planned", retry_after=1.0)
    return state.begun, state.planned


def _counted(
    state: PassState, planned: Planned, newer: Mapping[ChangeKind, int] = MappingProxyType({})
) -> PassReport:
    """A report with the numbers of the plan, without what clients have changed since."""
    done = {kind: count - newer.get(kind, 0) for kind, count in planned.counts.items()}
    return PassReport(
        applied=False,
        namespace=state.request.namespace,
        revision=0,
        source_revision=state.request.revision,
        dry_run=state.dry_run,
        added=done[ChangeKind.ADDED],
        updated=done[ChangeKind.UPDATED],
        removed=done[ChangeKind.REMOVED],
        unchanged=planned.unchanged,
        newer=planned.newer + sum(newer.values()),
        embedded=planned.embedded,
        reused_vectors=planned.reused,
    )
