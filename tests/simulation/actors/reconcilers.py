"""Reconcilers: passes over lists, at once or as jobs, repeated under an idempotency key where their
outcome is not known.
"""

import json
from functools import partial
from typing import TYPE_CHECKING, Any

from palimpsest.domain.errors import PalimpsestError
from palimpsest.domain.idempotency import IdempotencyKey
from palimpsest.domain.jobs import Job
from palimpsest.domain.pass_report import PassReport
from palimpsest.domain.records import Content
from palimpsest.services.answer_once import Answered
from palimpsest.services.reconciling.beginning import PassRequest
from palimpsest.services.reconciling.pass_files import Desired
from simulation import report_invariants
from simulation.job_invariants import indexed
from simulation.passes import Listed
from simulation.planned_passes import Pass
from simulation.plans import PlannedActor
from simulation.scheduling import Died

if TYPE_CHECKING:
    from simulation.world import World

TRIES = 3


def reconciler(world: "World", planned: PlannedActor, name: str) -> None:
    """One pass after another."""
    for number, operation in enumerate(planned.operations):
        assert isinstance(operation, Pass)
        world.pause()
        mark = f"{planned.tenant}{planned.namespace}"
        listed = Listed(
            f"{name}.{number}",
            planned.pk,
            operation.revision,
            {record_id: f"{text} {mark}" for record_id, text in operation.listed},
            operation.forget,
            operation.dry_run,
            began=world.scheduler.event(),
            struck=world.faults.counts.total(),
        )
        world.passes.by_name[listed.by] = listed
        for _ in range(TRIES if operation.keyed else 1):
            if _told(world, operation, listed):
                break
            world.pause()


def _told(world: "World", operation: Pass, listed: Listed) -> bool:
    """One attempt; whether there was an answer."""
    try:
        answered: Answered = world.call("reconcile", partial(_answered, world, operation, listed))
    except (PalimpsestError, Died) as error:
        world.scheduler.note("no answer", listed.by, repr(error))
        return False
    world.scheduler.note("answered", listed.by, answered.job, answered.report)
    if answered.job:
        world.passes.jobs[answered.job.partition("~")[2]] = listed
    else:
        faults = world.faults.counts.total()
        report = json.loads(answered.report)
        at = indexed(listed.pk, world.table)
        report_invariants.check(
            listed, report, world.truth, world.passes, faults=faults, indexed=at
        )
    return True


def _answered(world: "World", operation: Pass, listed: Listed, it: Any) -> Answered:
    tenant, _, namespace = listed.pk.partition("#")
    key = IdempotencyKey(listed.by, listed.by) if operation.keyed else None

    def work() -> Answered:
        done = _passed(world, operation, listed, it)
        if isinstance(done, Job):
            return Answered(job=done.id)
        return Answered(report=json.dumps(done.to_json()))

    answered: Answered = it.once.answer(tenant, namespace, key, work)
    return answered


def _passed(world: "World", operation: Pass, listed: Listed, it: Any) -> PassReport | Job:
    tenant, _, namespace = listed.pk.partition("#")
    request = PassRequest(
        tenant=tenant,
        namespace=namespace,
        revision=listed.revision,
        forget=listed.forget,
        by=listed.by,
    )
    desired: list[Desired] = [(i, Content(text=text)) for i, text in listed.texts.items()]
    done: PassReport | Job
    if operation.way == "uploaded":
        key = f"lists/{tenant}/{listed.by}.jsonl"
        lines = [json.dumps({"id": i, "text": text}) for i, text in listed.texts.items()]
        world.objects.held.put(key, "\n".join(lines).encode())
        done = it.passes.read_later(request, key, dry_run=listed.dry_run)
    else:
        job = operation.way == "as a job"
        done = it.passes.reconcile(request, desired, dry_run=listed.dry_run, job=job)
    return done
