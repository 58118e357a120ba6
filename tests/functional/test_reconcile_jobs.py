"""Passes that become jobs: which do, what they hand over, and what their steps do."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from palimpsest.domain.errors import NotFound, Throttled
from palimpsest.domain.jobs import Job, JobKind, JobStatus
from palimpsest.domain.pass_report import PassReport
from palimpsest.services import embed_texts
from palimpsest.services.reconciling import passes, planning
from quick_world import QuickWorld
from reconcile_world import LATER, desired, facts
from world import NAMESPACE, TENANT

OLD = {"a": "Ada keeps bees.", "b": "Ben bakes bread.", "c": "Cleo mends clocks."}
NEW = {"a": OLD["a"], "b": "Ben bakes cakes.", "d": "Dan rows boats.", "e": "Eve plays chess."}


def asked(world: QuickWorld, active: dict[str, str], revision: int = 1) -> PassReport | Job:
    return world.passes.reconcile(world.request(revision), desired(active))


def as_job(done: PassReport | Job) -> Job:
    assert isinstance(done, Job)
    return done


def go_on(world: QuickWorld, job: Job) -> dict[str, Any]:
    """What the state machine does with what it was started with; the job's result."""
    (payload,) = world.starter.payloads
    plan = payload.get("plan")
    assert payload["prepared"] is (plan is not None)
    if plan is None:
        pages, apply = world.pass_jobs.plan(world.job(job))
    else:
        pages, apply = plan["pages"], plan["apply"]
    if apply:
        for page in pages:
            world.pass_jobs.prepare(world.job(job), page, until=LATER)
        while not world.pass_jobs.apply(world.job(job), until=LATER):
            pass
        world.pass_jobs.verify(world.job(job), until=LATER)
    world.pass_jobs.finish(world.job(job))
    result = world.job(job).result
    assert result is not None
    return dict(result)


def embedded(world: QuickWorld) -> list[str]:
    return sorted(text for call in world.embedder.calls for text in call)


@dataclass(slots=True)
class Slow:
    """An embedder each call of which takes that long."""

    embedder: Any
    take: Callable[[], None]

    def embed_passages(self, texts: Sequence[str], *, timeout: float) -> Any:
        self.take()
        return self.embedder.embed_passages(texts, timeout=timeout)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.embedder, name)


def slow(world: QuickWorld, seconds: float) -> None:
    world.with_embedder(Slow(world.embedder, lambda: world.clock.move(seconds)))


def test_a_pass_of_more_changes_than_a_request_does_becomes_a_job(
    quick: QuickWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(passes, "MOST_CHANGES", 5)
    assert isinstance(asked(quick, facts(5)), PassReport)
    job = as_job(asked(quick, facts(6, "second"), 2))
    assert (job.kind, job.status, job.total, job.done) == (
        JobKind.RECONCILE,
        JobStatus.QUEUED,
        6,
        0,
    )
    assert quick.active() == facts(5)
    assert quick.job(job) == job
    report = go_on(quick, job)
    assert (report["added"], report["updated"], report["verified"]) == (1, 5, True)
    assert quick.active() == facts(6, "second")


def test_what_is_unchanged_does_not_count_towards_a_job(
    quick: QuickWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked(quick, facts(10))
    monkeypatch.setattr(passes, "MOST_CHANGES", 1)
    assert isinstance(asked(quick, facts(10) | {"f0001": "One more."}, 2), PassReport)
    assert isinstance(asked(quick, facts(8), 3), Job)


@pytest.mark.parametrize(("seconds", "calls"), [(4.4, 3), (4.5, 2)])
def test_a_pass_that_embeds_too_long_hands_over_its_plan_and_its_vectors(
    quick: QuickWorld, seconds: float, calls: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embed_texts, "BATCH_TEXTS", 5)
    slow(quick, seconds)
    done = asked(quick, facts(15))
    assert len(quick.embedder.calls) == calls
    if calls == 3:  # the third began before the ninth second
        assert isinstance(done, PassReport)
        return
    job = as_job(done)
    assert (job.total, quick.active()) == (15, {})
    report = go_on(quick, job)
    assert embedded(quick) == sorted(facts(15).values())  # each of them once
    assert (report["added"], report["embedded"], report["verified"]) == (15, 15, True)
    assert report["usage"] == {"embedding_calls": 3, "commits": 1}
    assert quick.active() == facts(15)


@pytest.mark.parametrize(("seconds", "handed_over"), [(6.9, False), (7.0, True)])
def test_a_pass_that_commits_too_long_hands_over_what_is_left(
    quick: QuickWorld, seconds: float, *, handed_over: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(planning, "PAGE_CHANGES", 2)
    seen = QuickWorld(beside=quick)
    quick.watch(lambda call: quick.clock.move(seconds) if call == "store.commit" else None, "store")
    done = asked(quick, facts(6))
    assert isinstance(done, Job) is handed_over
    if not handed_over:
        return
    assert len(seen.active()) == 4
    report = go_on(quick, as_job(done))
    assert (report["added"], report["verified"], seen.active()) == (6, True, facts(6))
    assert report["usage"] == {"embedding_calls": 3, "commits": 3}
    assert embedded(seen) == sorted(facts(6).values())


def test_a_pass_that_is_handed_over_is_still_the_one_that_has_begun(
    quick: QuickWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(passes, "MOST_CHANGES", 2)
    job = as_job(asked(quick, facts(3), 4))
    quick.put("f0000", "A client's own.")
    stale = quick.reconcile(3, {})
    assert (stale.applied, stale.newest) == (False, 4)
    report = go_on(quick, job)
    assert (report["newer"], report["added"], report["verified"]) == (1, 2, True)
    assert quick.active() == facts(3) | {"f0000": "A client's own."}


def test_the_progress_of_a_job_grows_page_by_page(
    quick: QuickWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(planning, "PAGE_CHANGES", 2)
    job, seen = quick.begun(1, facts(5)), QuickWorld(beside=quick)
    assert (job.status, job.done, job.total, job.started_at) == (JobStatus.QUEUED, 0, 0, None)
    quick.pass_jobs.plan(quick.job(job))
    begun = seen.job(job)
    assert (begun.status, begun.done, begun.total) == (JobStatus.RUNNING, 0, 5)
    assert begun.started_at == quick.clock.now()
    quick.watch(lambda call: quick.clock.move(1) if call == "store.commit" else None, "store")
    told = []
    for until in (0, 1, 2, 3, 4):
        whole = quick.pass_jobs.apply(seen.job(job), until=until)
        told.append((whole, seen.job(job).done))
    assert told == [(False, 0), (False, 1), (False, 3), (True, 5), (True, 5)]
    assert len(seen.active()) == 5
    quick.pass_jobs.finish(seen.job(job))
    ended = seen.job(job)
    assert (ended.status, ended.done, ended.total) == (JobStatus.SUCCEEDED, 5, 5)
    assert ended.started_at == begun.started_at
    assert ended.finished_at == quick.clock.now()


def test_every_step_of_a_job_may_be_taken_twice(
    quick: QuickWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(planning, "PAGE_CHANGES", 2)
    quick.reconcile(1, OLD)
    job = quick.begun(2, NEW)
    for _ in range(2):
        assert quick.pass_jobs.plan(quick.job(job)) == ([0, 1, 2], True)
    for page in (0, 0, 2, 1, 2):
        quick.pass_jobs.prepare(quick.job(job), page, until=LATER)
    for _ in range(2):
        assert quick.pass_jobs.apply(quick.job(job), until=LATER)
        assert quick.pass_jobs.verify(quick.job(job), until=LATER)
    before = quick.job(job)
    for _ in range(2):
        quick.pass_jobs.finish(before)  # as it was read before the first
        quick.clock.move(5)
    report = quick.job(job).result
    assert report is not None
    assert (report["added"], report["updated"], report["removed"]) == (2, 1, 1)
    assert (report["usage"], report["verified"]) == ({"embedding_calls": 2, "commits": 3}, True)
    assert embedded(quick) == sorted({*OLD.values(), *NEW.values()})
    assert (quick.active(), list(quick.objects.keys(""))) == (NEW, [])


def test_no_step_does_anything_to_a_job_that_has_ended(quick: QuickWorld) -> None:
    job = quick.begun(1, NEW)
    ended, before = quick.run(job), quick.items()
    assert quick.pass_jobs.plan(ended) == ([], False)
    quick.pass_jobs.prepare(ended, 0, until=LATER)
    assert quick.pass_jobs.apply(ended, until=LATER)
    assert quick.pass_jobs.verify(ended, until=LATER)
    quick.pass_jobs.finish(ended)
    assert quick.items() == before


def test_the_job_of_an_unchanged_list_has_no_pages(quick: QuickWorld) -> None:
    quick.reconcile(1, OLD)
    job = quick.begun(2, OLD)
    assert quick.pass_jobs.plan(quick.job(job)) == ([], True)
    ended = quick.run(job)
    assert ended.result is not None
    assert (ended.result["unchanged"], ended.result["verified"], ended.total) == (3, True, 0)


def test_the_job_of_a_dry_run_begins_nothing(quick: QuickWorld) -> None:
    quick.reconcile(5, OLD)
    before = {sk: item for sk, item in quick.items().items() if not sk.startswith("J#")}
    job = quick.begun(6, NEW, dry_run=True)
    assert job.dry_run
    report = go_on(quick, job)
    assert (report["applied"], report["dry_run"], report["source_revision"]) == (False, True, 6)
    assert report["ids"] == {"added": ["d", "e"], "updated": ["b"], "removed": ["c"]}
    assert before == {sk: i for sk, i in quick.items().items() if not sk.startswith("J#")}
    assert list(quick.objects.keys("")) == []
    assert (quick.job(job).total, quick.job(job).done) == (4, 4)


def test_the_job_of_a_dry_run_that_is_overtaken_is_stale(quick: QuickWorld) -> None:
    job = quick.begun(6, NEW, dry_run=True)
    quick.reconcile(7, OLD)
    report = go_on(quick, job)
    assert (report["applied"], report["reason"], report["newest"]) == (False, "stale", 7)


def test_a_job_that_would_be_stale_is_none(quick: QuickWorld) -> None:
    quick.reconcile(5, OLD)
    done = quick.passes.reconcile(quick.request(4), desired(NEW), job=True)
    assert isinstance(done, PassReport)
    assert (done.reason, done.newest, quick.starter.payloads) == ("stale", 5, [])
    assert list(quick.objects.keys("")) == []


def test_a_job_that_is_overtaken_before_it_is_planned_is_stale(quick: QuickWorld) -> None:
    job = quick.begun(6, NEW)
    quick.reconcile(6, OLD)
    report = go_on(quick, job)
    assert (report["applied"], report["reason"], report["newest"]) == (False, "stale", 6)
    assert quick.active() == OLD
    assert quick.job(job).status is JobStatus.SUCCEEDED


def test_a_job_that_is_overtaken_between_its_pages_is_stale_and_says_what_it_did(
    quick: QuickWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(planning, "PAGE_CHANGES", 2)
    job, seen = quick.begun(6, facts(5)), QuickWorld(beside=quick)
    quick.pass_jobs.plan(quick.job(job))
    quick.watch(lambda call: quick.clock.move(1) if call == "store.commit" else None, "store")
    assert not quick.pass_jobs.apply(seen.job(job), until=1)
    seen.reconcile(7, OLD)
    for _ in range(2):
        assert quick.pass_jobs.apply(seen.job(job), until=LATER)
        assert quick.pass_jobs.verify(seen.job(job), until=LATER)
    quick.pass_jobs.finish(seen.job(job))
    report = seen.job(job).result
    assert report is not None
    assert (report["reason"], report["newest"], report["usage"]["commits"]) == ("stale", 7, 1)
    assert seen.active() == OLD


def test_what_a_failed_job_leaves_behind_is_removed(quick: QuickWorld) -> None:
    job = quick.begun(6, NEW)
    quick.pass_jobs.plan(quick.job(job))
    assert list(quick.objects.keys(""))
    quick.pass_jobs.abandon(quick.job(job))
    assert list(quick.objects.keys("")) == []


def test_a_page_that_is_lost_without_a_purge_is_an_error_and_no_stale_pass(
    quick: QuickWorld,
) -> None:
    job = quick.begun(6, NEW)
    quick.pass_jobs.plan(quick.job(job))
    (plan,) = (key for key in quick.objects.keys("") if "/plan/" in key)
    quick.objects.erase(plan)
    with pytest.raises(NotFound):
        quick.pass_jobs.prepare(quick.job(job), 0, until=LATER)
    with pytest.raises(NotFound):
        quick.pass_jobs.apply(quick.job(job), until=LATER)


def test_a_page_cannot_be_prepared_before_there_is_a_plan(quick: QuickWorld) -> None:
    job = quick.begun(6, NEW)
    with pytest.raises(Throttled, match="being planned"):
        quick.pass_jobs.prepare(quick.job(job), 0, until=LATER)
    assert quick.fences.read(TENANT, NAMESPACE).begun == 6
