"""Jobs that nobody works on any more are started again."""

from datetime import timedelta

import pytest

from palimpsest.domain.jobs import JobStatus
from palimpsest.services.resume_jobs import MOST_STARTS, ResumeService
from reconcile_world import ReconcileWorld, facts
from world import NAMESPACE, TENANT

NOW = timedelta(0)


@pytest.fixture
def world(tables: dict[str, str]) -> ReconcileWorld:
    return ReconcileWorld(tables["RecordsTable"])


@pytest.fixture
def resuming(world: ReconcileWorld) -> ResumeService:
    return ResumeService(
        store=world.store, jobs=world.jobs, starter=world.starter, clock=world.clock
    )


def test_a_job_whose_start_was_lost_is_started_under_its_name(
    world: ReconcileWorld, resuming: ResumeService
) -> None:
    world.put("a", "text")
    job = world.purges.purge(TENANT, NAMESPACE, by="key")
    world.starter.names.clear()
    assert resuming.resume(older_than=NOW) == 1
    assert world.starter.names == [job.name]
    assert world.starter.payloads[-1] == world.starter.payloads[0]


def test_a_job_that_is_running_or_has_ended_is_left_alone(
    world: ReconcileWorld, resuming: ResumeService
) -> None:
    world.put("a", "text")
    job = world.begun(1, facts(2))
    assert resuming.resume(older_than=NOW) == 0
    world.run(job)
    world.starter.names.clear()
    assert resuming.resume(older_than=NOW) == 0


def test_a_job_whose_machine_is_gone_goes_on_under_another_name_to_its_end(
    world: ReconcileWorld, resuming: ResumeService
) -> None:
    world.put("a", "text")
    job = world.begun(1, facts(3))
    world.pass_jobs.plan(world.job(job))
    world.starter.over.add(job.name)
    assert resuming.resume(older_than=NOW) == 1
    assert world.starter.names[-1] == f"{job.name}-2"
    done = world.run(job)
    assert done.status is JobStatus.SUCCEEDED
    assert world.active() == facts(3)


def test_a_young_job_may_be_about_to_be_started(
    world: ReconcileWorld, resuming: ResumeService
) -> None:
    world.put("a", "text")
    world.purges.purge(TENANT, NAMESPACE, by="key")
    world.starter.names.clear()
    assert resuming.resume(older_than=timedelta(seconds=5)) == 0
    world.clock.move(5)
    assert resuming.resume(older_than=timedelta(seconds=5)) == 1


def test_a_job_that_ends_without_an_end_again_and_again_has_failed(
    world: ReconcileWorld, resuming: ResumeService
) -> None:
    world.put("a", "text")
    job = world.purges.purge(TENANT, NAMESPACE, by="key")
    world.starter.over.add(job.name)
    for number in range(2, MOST_STARTS + 1):
        assert resuming.resume(older_than=NOW) == 1
        world.starter.over.add(f"{job.name}-{number}")
    assert resuming.resume(older_than=NOW) == 0
    failed = world.job(job)
    assert failed.status is JobStatus.FAILED
    assert failed.error is not None
    assert resuming.resume(older_than=NOW) == 0
