"""Jobs: the steps of the state machine `infra/state_machines/jobs.asl.json`; any may be repeated.

An event is `{"step": name, "tenant", "job", …}`; the daily round's has `after` instead of a job.
Two steps are not the machine's: `ended` comes from a rule, `resume` from a schedule.
"""

import json
from collections.abc import Callable, Mapping
from datetime import timedelta
from functools import cache
from typing import Any

from palimpsest.api.record_list import listed
from palimpsest.bootstrap import prime
from palimpsest.bootstrap.jobs import JobsServices, jobs_services
from palimpsest.domain.jobs import Job, JobKind, JobRefused
from palimpsest.observability import count, logger
from palimpsest.services.job_records import JobRecords
from palimpsest.services.walk_log import REREAD_PAUSE_S, REREADS

STEP_S = 60.0
"""Of one step, which begins nothing after that; the function's own time is 900 s."""

RESUMED_AFTER_S = 300.0
"""A younger job may be about to be started."""

Event = Mapping[str, Any]
Answer = dict[str, Any]


@cache
def services() -> JobsServices:
    """The services of this process."""
    return jobs_services(listed, _drifted)


def handler(event: dict[str, Any], _: Any) -> Answer:
    """What the step has to tell the machine. Raises what made it fail; `JobRefused` where it can
    never succeed.
    """
    step = STEPS.get(str(event.get("step")))
    if step is None:
        raise JobRefused({"type": "internal", "detail": "there is no such step"})
    done = step(event)
    logger.info("step", extra={"step": event["step"], "job": event.get("job"), "told": done})
    return done


def _job(event: Event) -> Job:
    """The job of an event. One that was begun in a commit may come into view a little later."""
    it = services()
    for _ in range(REREADS):
        job = it.jobs.get(str(event["tenant"]), str(event["job"]))
        if job is not None:
            return job
        it.clock.sleep(REREAD_PAUSE_S)
    raise JobRefused({"type": "not-found", "detail": "there is no such job"})


def _until() -> float:
    return services().clock.monotonic() + STEP_S


def _plan(event: Event) -> Answer:
    pages, apply = services().passes.plan(_job(event))
    return {"pages": pages, "apply": apply}


def _prepare(event: Event) -> Answer:
    services().passes.prepare(_job(event), int(event["page"]), until=_until())
    return {}


def _apply(event: Event) -> Answer:
    return {"done": services().passes.apply(_job(event), until=_until())}


def _verify(event: Event) -> Answer:
    return {"done": services().passes.verify(_job(event), until=_until())}


def _erase(event: Event) -> Answer:
    return {"done": services().purges.erase(_job(event), until=_until())}


def _mend(event: Event) -> Answer:
    services().canonical.mend(_job(event))
    return {"done": True}


def _daily(event: Event) -> Answer:
    after, done = services().canonical.daily(str(event.get("after", "")), until=_until())
    return {"after": after, "done": done}


def _finish(event: Event) -> Answer:
    job = _job(event)
    if job.kind is JobKind.PURGE:
        services().purges.finish(job)
    elif job.kind is JobKind.RECONCILE:
        services().passes.finish(job)
    return {}


def _failed(event: Event) -> Answer:
    """The machine gave the job up: its error is told, a refused one's own, else that it failed."""
    if "job" not in event:
        return {}
    job, error = _job(event), event.get("error") or {}
    told = JobRefused.told(error) or {
        "type": "internal",
        "detail": "the job was given up after several tries",
    }
    JobRecords(services().jobs, services().clock, job).failed(told)
    if job.kind is JobKind.RECONCILE:
        services().passes.abandon(job)
    return {}


def _ended(event: Event) -> Answer:
    """A machine has ended without an end of its own making: its time was up, or it was stopped."""
    told = json.loads(event.get("input") or "{}")
    if told.get("job"):
        _failed({**told, "error": {"Error": str(event.get("status"))}})
    return {}


def _resume(event: Event) -> Answer:
    age = timedelta(seconds=float(event.get("older_than_s", RESUMED_AFTER_S)))
    return {"resumed": services().resuming.resume(older_than=age)}


def _drifted(tenant: str, namespace: str, entries: int) -> None:
    """One namespace's index was not what its records are, by so many entries (-1: not known)."""
    if entries:
        extra = {"tenant": tenant, "namespace": namespace, "entries": entries}
        logger.warning("the index has drifted", extra=extra)
    count("IndexDrift", max(entries, 0))
    count("IndexUnproved", int(entries < 0))


STEPS: Mapping[str, Callable[[Event], Answer]] = {
    "plan": _plan,
    "prepare": _prepare,
    "apply": _apply,
    "verify": _verify,
    "finish": _finish,
    "erase": _erase,
    "mend": _mend,
    "daily": _daily,
    "failed": _failed,
    "ended": _ended,
    "resume": _resume,
}

prime(services)
