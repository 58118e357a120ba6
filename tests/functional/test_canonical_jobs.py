"""Canonical reconciles as jobs, and the daily round over all namespaces."""

from typing import Any

import pytest

from palimpsest.domain.commit_planning import CommitRequest, Operation
from palimpsest.domain.errors import Unavailable
from palimpsest.domain.jobs import Job, JobKind, JobStatus
from palimpsest.domain.pass_report import PassReport
from palimpsest.domain.records import Content
from palimpsest.services import canonical_jobs
from quick_world import QuickWorld
from reconcile_world import LATER, facts
from world import NAMESPACE, TENANT

NAMESPACES = [("acme", "a-b"), ("acme", "notes"), ("acme", "z"), ("acme-2", "a"), ("b", "notes")]


def asked(world: QuickWorld, **way: bool) -> PassReport | Job:
    options = {"dry_run": False, "job": False} | way
    return world.canonical_requests.reconcile(TENANT, NAMESPACE, **options)


def test_a_small_namespace_is_compared_in_its_request_and_a_larger_one_in_a_job(
    quick: QuickWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(canonical_jobs, "MOST_AT_ONCE", 3)
    quick.put_many(facts(3))
    report = asked(quick)
    assert isinstance(report, PassReport)
    assert (report.verified, report.unchanged) == (True, 3)
    quick.put("one", "more")
    assert isinstance(asked(quick), Job)


def test_a_canonical_job_ends_with_its_report(quick: QuickWorld) -> None:
    quick.put_many(facts(4))
    job = asked(quick, job=True)
    assert isinstance(job, Job)
    assert (job.kind, job.status, job.total) == (JobKind.CANONICAL, JobStatus.QUEUED, 4)
    assert quick.starter.payloads == [
        {"kind": "canonical", "tenant": TENANT, "job": job.id, "prepared": False}
    ]
    quick.canonical_jobs.mend(quick.job(job))
    ended = quick.job(job)
    assert (ended.status, ended.done, ended.total) == (JobStatus.SUCCEEDED, 4, 4)
    assert ended.result is not None
    assert (ended.result["verified"], ended.result["warnings"]) == (True, [])
    quick.put("one", "more")
    quick.canonical_jobs.mend(ended)  # taken again, it does nothing
    assert quick.job(job) == ended


def test_the_job_of_a_dry_run_changes_nothing(quick: QuickWorld) -> None:
    quick.put_many(facts(4))
    job = asked(quick, job=True, dry_run=True)
    assert isinstance(job, Job)
    quick.canonical_jobs.mend(quick.job(job))
    result = quick.job(job).result
    assert result is not None
    assert (result["dry_run"], result["applied"]) == (True, False)
    assert list(quick.index.walk(f"{TENANT}#{NAMESPACE}")) == []


@pytest.fixture
def several(quick: QuickWorld) -> QuickWorld:
    """Namespaces of several tenants, in line with the index."""
    for tenant, namespace in reversed(NAMESPACES):
        operation = Operation(id="x", content=Content(text=f"Of {namespace}."))
        quick.commits.commit(
            CommitRequest(tenant=tenant, namespace=namespace, operations=[operation], by="key")
        )
        quick.projection.project(tenant, namespace)
    return quick


def test_the_daily_round_looks_at_every_namespace_and_tells_its_drift(
    several: QuickWorld,
) -> None:
    several.index._entries["acme#z"].clear()  # type: ignore[attr-defined]
    assert several.canonical_jobs.daily("", until=LATER) == ("b#notes", True)
    assert several.drifts == [(*name, int(name == ("acme", "z"))) for name in NAMESPACES]
    several.drifts.clear()
    several.canonical_jobs.daily("", until=LATER)
    assert {drift for _, _, drift in several.drifts} == {0}


def test_the_daily_round_goes_on_where_its_time_ended(several: QuickWorld) -> None:
    jobs, clock = several.canonical_jobs, several.clock
    assert jobs.daily("", until=clock.monotonic()) == ("", False)
    assert several.drifts == []
    drifted = jobs.drifted

    def slowly(tenant: str, namespace: str, drift: int) -> None:
        clock.move(1)
        drifted(tenant, namespace, drift)

    object.__setattr__(jobs, "drifted", slowly)
    after, done = jobs.daily("", until=clock.monotonic() + 2)
    assert (after, done) == ("acme#notes", False)
    assert jobs.daily(after, until=LATER) == ("b#notes", True)
    assert [told[:2] for told in several.drifts] == NAMESPACES
    assert jobs.daily("b#notes", until=0) == ("b#notes", True)


def test_a_namespace_that_fails_holds_up_no_other(several: QuickWorld) -> None:
    class Failing:
        def walk(self, partition: str) -> Any:
            if partition == "acme#notes":
                raise Unavailable("no answer", stage="index")
            return inner.walk(partition)

        def __getattr__(self, name: str) -> Any:
            return getattr(inner, name)

    inner = several.index
    several.index = Failing()
    several.reproject()
    assert several.canonical_jobs.daily("", until=LATER) == ("b#notes", True)
    told = {namespace: drift for tenant, namespace, drift in several.drifts if tenant == "acme"}
    assert told == {"a-b": 0, "notes": -1, "z": 0}
