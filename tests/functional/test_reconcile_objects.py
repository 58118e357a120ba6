"""Lists that come as an object: they are checked in the job, before anything begins."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from palimpsest.domain.jobs import Job, JobRefused, JobStatus
from palimpsest.domain.pass_report import PassReport
from palimpsest.services.reconciling import planning
from quick_world import QuickWorld
from reconcile_world import LATER
from world import NAMESPACE, TENANT

KEY = "lists/acme/given.jsonl"
OLD = {"a": "Ada keeps bees.", "b": "Ben bakes bread."}
NEW = {"a": OLD["a"], "c": "Cleo mends clocks."}


def lines_of(active: Mapping[str, str]) -> list[str]:
    return [json.dumps({"id": i, "text": text}) for i, text in active.items()]


def given(world: QuickWorld, lines: list[str]) -> None:
    world.objects.put(KEY, "\n".join(lines).encode())


def begun(world: QuickWorld, revision: int = 6, *, dry_run: bool = False) -> Job:
    job = world.passes.read_later(world.request(revision), KEY, dry_run=dry_run)
    assert isinstance(job, Job)
    return job


def result(job: Job) -> dict[str, Any]:
    assert job.status is JobStatus.SUCCEEDED
    assert job.result is not None
    return dict(job.result)


@pytest.fixture
def listed(quick: QuickWorld) -> QuickWorld:
    quick.reconcile(5, OLD)
    return quick


def test_a_list_in_an_object_is_applied_by_its_job(listed: QuickWorld) -> None:
    given(listed, ["", *lines_of(NEW), "  ", ""])
    job = begun(listed)
    assert listed.starter.payloads == [
        {"kind": "reconcile", "tenant": TENANT, "job": job.id, "prepared": False}
    ]
    assert listed.fences.read(TENANT, NAMESPACE).begun == 5  # that is up to the job
    report = result(listed.run(job))
    assert (report["added"], report["removed"], report["unchanged"]) == (1, 1, 1)
    assert (report["verified"], report["source_revision"], report["warnings"]) == (True, 6, [])
    assert listed.active() == NEW
    assert list(listed.objects.keys("")) == [KEY]  # which goes by its own time


@pytest.mark.parametrize(
    ("lines", "kind"),
    [
        (['{"id": "a"}'], "missing"),
        ([*lines_of(NEW), '{"id": "d", "text": " "}'], "blank"),
        ([*lines_of(NEW), *lines_of(OLD)], "twice"),
        ([*lines_of(NEW), '{"id": "d",'], "json_invalid"),
        (['{"id": "d", "text": "x", "supersedes": ["a"]}'], "extra_forbidden"),
    ],
)
def test_d7_a_list_that_breaks_a_rule_is_refused_as_a_whole_before_anything_begins(
    listed: QuickWorld, lines: list[str], kind: str
) -> None:
    given(listed, lines)
    job, fence = begun(listed), listed.fences.read(TENANT, NAMESPACE)
    with pytest.raises(JobRefused) as caught:
        listed.pass_jobs.plan(listed.job(job))
    assert caught.value.error["type"] == "invalid-request"
    assert [error["type"] for error in caught.value.error["errors"]] == [kind]
    assert listed.fences.read(TENANT, NAMESPACE) == fence
    assert listed.active() == OLD


def test_a_list_that_is_not_there_any_more_is_refused(listed: QuickWorld) -> None:
    given(listed, lines_of(NEW))
    job = begun(listed)
    listed.objects.erase(KEY)
    with pytest.raises(JobRefused) as caught:
        listed.pass_jobs.plan(listed.job(job))
    assert caught.value.error["errors"][0]["loc"] == ["body", "active_uri"]


def test_a_list_may_have_so_many_lines_and_not_one_more(
    listed: QuickWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    given(listed, lines_of(NEW))
    for most, refused in ((2, False), (1, True)):
        monkeypatch.setattr(planning, "MOST_RECORDS", most)
        job = begun(listed)
        if refused:
            with pytest.raises(JobRefused):
                listed.pass_jobs.plan(listed.job(job))
        else:
            listed.pass_jobs.plan(listed.job(job))


class Replaced:
    """Objects one of which is replaced after so many readings."""

    def __init__(self, objects: Any, key: str, data: bytes, *, after: int) -> None:
        self._objects, self._key, self._data, self._left = objects, key, data, after

    def lines(self, key: str) -> Iterator[bytes]:
        if key == self._key:
            if self._left == 0:
                self._objects.put(key, self._data)
            self._left -= 1
        return iter(list(self._objects.lines(key)))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._objects, name)


@pytest.mark.parametrize(("after", "refused"), [(1, False), (2, True), (3, False)])
def test_a_list_that_is_replaced_while_it_is_planned_is_never_half_applied(
    listed: QuickWorld, after: int, *, refused: bool
) -> None:
    given(listed, lines_of(NEW))
    other = "\n".join(lines_of({"z": "Zoe."})).encode()
    objects: Any = Replaced(listed.objects, KEY, other, after=after)
    listed.objects = objects
    listed.compose()
    job = begun(listed)
    if refused:
        with pytest.raises(JobRefused):
            listed.pass_jobs.plan(listed.job(job))
        assert listed.active() == OLD
        return
    assert result(listed.run(job))["verified"]
    assert listed.active() == ({"z": "Zoe."} if after == 1 else NEW)


def test_what_was_mended_in_a_list_is_told_of_a_hundred_lines(listed: QuickWorld) -> None:
    for count, told in ((100, 100), (101, 100)):
        given(listed, [json.dumps({"id": f"r{n}", "text": f"x\0{n}"}) for n in range(count)])
        report = result(listed.run(begun(listed)))
        assert len(report["warnings"]) == told
        assert report["added"] in {100, 1}
    assert listed.active()["r7"] == "x7"


def test_a_stale_list_in_an_object_becomes_no_job(listed: QuickWorld) -> None:
    report = listed.passes.read_later(listed.request(4), KEY, dry_run=False)
    assert isinstance(report, PassReport)
    assert (report.reason, report.newest, listed.starter.payloads) == ("stale", 5, [])


def test_a_list_in_an_object_that_is_overtaken_before_it_begins_is_stale(
    listed: QuickWorld,
) -> None:
    given(listed, lines_of(NEW))
    job = begun(listed, 6)
    listed.reconcile(7, OLD)
    report = result(listed.run(job))
    assert (report["applied"], report["reason"], report["newest"]) == (False, "stale", 7)
    assert listed.active() == OLD


def test_of_two_lists_with_the_same_revision_the_later_to_begin_stands(
    listed: QuickWorld,
) -> None:
    given(listed, lines_of(NEW))
    first, second = begun(listed), begun(listed)
    listed.pass_jobs.plan(listed.job(second))
    assert result(listed.run(first))["applied"]
    assert result(listed.run(second))["reason"] == "stale"
    assert listed.active() == NEW


def test_a_dry_run_of_a_list_in_an_object_keeps_nothing(listed: QuickWorld) -> None:
    given(listed, lines_of(NEW))
    job = begun(listed, dry_run=True)
    assert listed.pass_jobs.plan(listed.job(job)) == ([], False)
    assert [key for key in listed.objects.keys("work/") if "plan" in key] == []
    assert listed.pass_jobs.verify(listed.job(job), until=LATER)
    listed.pass_jobs.finish(listed.job(job))
    report = result(listed.job(job))
    assert report["ids"] == {"added": ["c"], "updated": [], "removed": ["b"]}
    assert listed.fences.read(TENANT, NAMESPACE).begun == 5
    assert listed.pass_jobs.apply(listed.job(job), until=LATER)


def test_a_pass_that_waits_for_its_job_ends_where_a_later_one_of_its_revision_has_begun(
    listed: QuickWorld,
) -> None:
    given(listed, lines_of(NEW))
    for revision in (7, 0):
        waiting = begun(listed, revision)
        listed.clock.move(1)
        assert listed.reconcile(revision, {"a": "Ada keeps geese."}).applied
        listed.put("own", "Written after it.")
        done = listed.run(waiting).result
        assert done is not None
        assert (done["applied"], done["reason"]) == (False, "stale")
        assert listed.active() == {"a": "Ada keeps geese.", "own": "Written after it."}


def test_of_two_that_wait_the_one_asked_for_later_goes_on_whichever_begins_first(
    listed: QuickWorld,
) -> None:
    given(listed, lines_of(NEW))
    for revision in (7, 0):
        first = begun(listed, revision)
        listed.clock.move(1)
        second = begun(listed, revision)
        for job in (second, first):
            listed.run(job)
        told = [listed.job(job).result for job in (first, second)]
        assert [one["applied"] for one in told if one] == [False, True]
        again = begun(listed, revision)
        listed.clock.move(1)
        last = begun(listed, revision)
        for job in (again, last):
            listed.run(job)
        told = [listed.job(job).result for job in (again, last)]
        assert [one["applied"] for one in told if one] == [True, True]


def test_a_newer_revision_that_waits_goes_on_over_an_older_one(listed: QuickWorld) -> None:
    given(listed, lines_of(NEW))
    waiting = begun(listed, 9)
    listed.clock.move(1)
    assert listed.reconcile(8, {"x": "Xenia sings."}).applied
    done = listed.run(waiting).result
    assert done is not None
    assert done["applied"]


def test_a_purge_ends_a_pass_that_waits_for_its_job(listed: QuickWorld) -> None:
    given(listed, lines_of(NEW))
    waiting = begun(listed, 9)
    listed.clock.move(1)
    purge = listed.run_purge(listed.purges.purge(TENANT, NAMESPACE, by="key"))
    done = listed.run(waiting).result
    assert done is not None
    assert (done["applied"], done["reason"]) == (False, "stale")
    assert listed.active() == {}
    assert purge.result is not None
    assert set(purge.result["receipt"].values()) == {0}
