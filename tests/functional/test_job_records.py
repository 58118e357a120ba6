"""What is kept of a job while it runs and when it ends."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from palimpsest.domain.jobs import KEPT_FOR, Job, JobKind, JobStatus, job_id
from palimpsest.services.job_records import JobRecords
from quick_world import QuickWorld
from world import NAMESPACE, TENANT

UNIQUE = "0f8fad5b-d9cb-469f-a165-70867728950e"


@pytest.fixture
def job(quick: QuickWorld) -> Job:
    """A job that has just been asked for."""
    one = Job(
        id=job_id(NAMESPACE, JobKind.PURGE, UNIQUE),
        kind=JobKind.PURGE,
        tenant=TENANT,
        namespace=NAMESPACE,
        status=JobStatus.QUEUED,
        created_at=quick.clock.now(),
        total=9,
        dry_run=True,
    )
    quick.jobs.begin(one)
    return one


def records(world: QuickWorld, job: Job) -> JobRecords:
    return JobRecords(world.jobs, world.clock, world.job(job))


def test_a_job_is_read_as_it_was_kept(quick: QuickWorld, job: Job) -> None:
    assert quick.jobs.get(TENANT, job.id) == job
    whole = replace(
        job,
        status=JobStatus.FAILED,
        done=3,
        started_at=quick.clock.now() + timedelta(milliseconds=1),
        finished_at=quick.clock.now() + timedelta(milliseconds=2),
        result={"a": [1, {"ä": None}]},
        error={"type": "internal"},
    )
    quick.jobs.save(whole)
    assert quick.jobs.get(TENANT, job.id) == whole


def test_a_job_that_is_there_already_is_not_begun_again(quick: QuickWorld, job: Job) -> None:
    records(quick, job).progress(4, 9)
    quick.jobs.begin(job)
    assert quick.job(job).done == 4


@pytest.mark.parametrize(
    ("tenant", "name"), [("other", None), (TENANT, "no id"), (TENANT, f"x~purge-{UNIQUE}")]
)
def test_there_is_no_job_of_another_tenant_or_name(
    quick: QuickWorld, job: Job, tenant: str, name: str | None
) -> None:
    assert quick.jobs.get(tenant, name or job.id) is None


def test_a_job_is_kept_for_seven_days(quick: QuickWorld, job: Job) -> None:
    (item,) = quick.items("J#").values()
    assert item["ttl"] == {"N": str(int((job.created_at + KEPT_FOR).timestamp()))}


def test_a_job_runs_since_it_was_first_worked_on(quick: QuickWorld, job: Job) -> None:
    quick.clock.move(1)
    first = quick.clock.now()
    records(quick, job).started()
    quick.clock.move(1)
    again = records(quick, job)
    again.started()
    again.progress(2, 8)
    seen = quick.job(job)
    assert (seen.status, seen.started_at, seen.finished_at) == (JobStatus.RUNNING, first, None)
    assert (seen.done, seen.total) == (2, 8)


def test_progress_alone_starts_a_job_too(quick: QuickWorld, job: Job) -> None:
    records(quick, job).progress(1, 9)
    assert quick.job(job).started_at == quick.clock.now()


def test_a_job_that_succeeds_is_done_as_a_whole(quick: QuickWorld, job: Job) -> None:
    records(quick, job).succeeded({"a": 1}, total=12)
    seen = quick.job(job)
    assert (seen.status, seen.done, seen.total) == (JobStatus.SUCCEEDED, 12, 12)
    assert (seen.result, seen.error) == ({"a": 1}, None)
    assert seen.started_at == seen.finished_at == quick.clock.now()


def test_a_job_that_fails_says_why_and_how_far_it_came(quick: QuickWorld, job: Job) -> None:
    running = records(quick, job)
    running.progress(4, 9)
    quick.clock.move(3)
    running.failed({"type": "internal"})
    seen = quick.job(job)
    assert (seen.status, seen.done, seen.error) == (JobStatus.FAILED, 4, {"type": "internal"})
    assert seen.started_at == quick.clock.now() - timedelta(seconds=3)


def test_a_job_that_has_ended_is_never_opened_again(quick: QuickWorld, job: Job) -> None:
    late = records(quick, job)  # another step, which still believes that it runs
    records(quick, job).succeeded({"a": 1}, total=9)
    ended = quick.job(job)
    steps: Any = (
        late.started,
        lambda: late.progress(1, 9),
        lambda: late.failed({"type": "internal"}),
        lambda: late.succeeded({"a": 2}, total=9),
    )
    for step in steps:
        step()
        assert quick.job(job) == ended
