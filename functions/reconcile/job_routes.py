"""Jobs: how far they are, and how they ended."""

from http import HTTPStatus
from typing import Any

from aws_lambda_powertools.event_handler import Response

from palimpsest.api.resolver import Access, answer
from palimpsest.domain.errors import Forbidden, NotFound
from palimpsest.domain.instants import to_text
from palimpsest.domain.jobs import Job, namespace_of
from palimpsest.domain.keys import Scope
from reconcile import answers
from reconcile.app import api, services


def job_json(job: Job) -> dict[str, Any]:
    """A job as it is answered everywhere."""
    return {
        "id": job.id,
        "kind": job.kind.value,
        "status": job.status.value,
        "progress": {"done": job.done, "total": job.total},
        "started_at": to_text(job.started_at) if job.started_at else None,
        "finished_at": to_text(job.finished_at) if job.finished_at else None,
        "result": job.result,
        "error": job.error,
    }


def begun(job: Job) -> Response[str]:
    """The 202 of a request that has become a job."""
    body = {"job": job_json(job), "warnings": api.caller.warnings}
    return answer(HTTPStatus.ACCEPTED, body)


@api.route(
    "GET",
    "/jobs/{id}",
    Access(Scope.READ, in_namespaces=False),
    answers={200: answers.Job},
)
def get_job(id: str) -> Response[str]:
    """A job: its progress, and its result or error once it has ended. Kept for seven days."""
    grant, job_id = api.caller.grant, api.caller.path["id"]
    namespace = namespace_of(job_id)
    if namespace is None:
        raise NotFound("no such job")
    if not grant.admits(namespace):
        raise Forbidden("this key does not allow that")
    job = services().jobs.get(grant.tenant, job_id)
    if job is None:
        raise NotFound("no such job")
    return answer(HTTPStatus.OK, job_json(job))
