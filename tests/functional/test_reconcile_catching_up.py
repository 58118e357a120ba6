"""The index is brought up to a pass, however much it lacks and whoever goes on writing."""

from collections.abc import Sequence

import pytest

from functional.test_reconcile_jobs import as_job, asked, go_on
from palimpsest.domain.entries import Entry, WriteResult
from palimpsest.domain.pass_report import PassReport
from palimpsest.services import project
from quick_world import QuickWorld
from reconcile_world import LATER, facts
from world import NAMESPACE, TENANT

MOST_WRITES = 12


@pytest.mark.parametrize(("seconds", "handed_over"), [(3.0, False), (4.0, True)])
def test_a_pass_whose_index_lacks_much_hands_over_before_its_time_is_up(
    quick: QuickWorld, seconds: float, *, handed_over: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(project, "LOG_PAGE", 2)
    for n in range(11):
        quick.put(f"c{n}", "A client's own.")
    index = quick.index

    def slowly(entries: Sequence[Entry]) -> Sequence[WriteResult]:
        quick.clock.move(seconds)
        return index.write(entries, visible=False)

    quick.writes(slowly)
    quick.compose()
    done = asked(quick, {f"c{n}": "A client's own." for n in range(11)} | facts(1))
    if not handed_over:
        assert isinstance(done, PassReport)
        assert done.verified
        return
    job = as_job(done)
    assert (job.total, quick.job(job).done) == (1, 0)
    report = go_on(quick, job)
    assert (report["added"], report["unchanged"], report["verified"]) == (1, 11, True)
    assert report["usage"]["commits"] == 1


def test_a_step_that_is_out_of_time_leaves_the_rest_to_the_next(
    quick: QuickWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(project, "LOG_PAGE", 2)
    job = quick.begun(1, facts(3))
    pages, _ = quick.pass_jobs.plan(quick.job(job))
    for page in pages:
        quick.pass_jobs.prepare(quick.job(job), page, until=LATER)
    assert quick.pass_jobs.apply(quick.job(job), until=LATER)
    for n in range(5):
        quick.put(f"c{n}", "A client's own.")
    now = quick.clock.monotonic()
    told = [quick.pass_jobs.verify(quick.job(job), until=now) for _ in range(4)]
    assert told == [False, False, True, True]


def test_a_pass_ends_though_others_never_stop_writing(quick: QuickWorld) -> None:
    index, revisions = quick.index, list[int]()

    def beside(entries: Sequence[Entry]) -> Sequence[WriteResult]:
        revisions.append(quick.put("a", f"The next of {len(revisions)}."))
        assert len(revisions) < MOST_WRITES
        return index.write(entries, visible=False)

    quick.writes(beside)
    quick.compose()
    done = asked(quick, facts(2) | {"a": "The list's."})
    assert isinstance(done, PassReport)
    assert (done.applied, done.verified) == (True, True)
    again = quick.canonical.reconcile(TENANT, NAMESPACE, dry_run=False)
    assert again.revision == revisions[-1]


def test_a_projection_ends_at_its_time_though_others_never_stop_writing(quick: QuickWorld) -> None:
    index = quick.index

    def beside(entries: Sequence[Entry]) -> Sequence[WriteResult]:
        quick.put("a", f"At {quick.clock.monotonic()}.")
        quick.clock.move(1)
        return index.write(entries, visible=False)

    quick.put("a", "The first.")
    quick.writes(beside)
    until = quick.clock.monotonic() + 5
    assert quick.projection.project(TENANT, NAMESPACE, until=until).revision == 5
