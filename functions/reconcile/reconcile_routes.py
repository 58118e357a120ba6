"""Reconcile: a namespace's records become exactly a list; or its index what its records are."""

import json
from http import HTTPStatus
from typing import Annotated, Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Body

from palimpsest.api.fields import Warnings
from palimpsest.api.record_list import cleaned_record, listed
from palimpsest.api.request_guards import idempotency_key, refuse_guards
from palimpsest.api.resolver import Access, answer
from palimpsest.domain.errors import InvalidRequest, Unavailable
from palimpsest.domain.jobs import Job
from palimpsest.domain.keys import Scope
from palimpsest.domain.names import DEFAULT_NAMESPACE, MAX_LIST_BYTES
from palimpsest.domain.pass_report import PassReport
from palimpsest.services.answer_once import Answered
from palimpsest.services.reconciling.beginning import PassRequest
from reconcile import answers
from reconcile.app import api, services
from reconcile.job_routes import begun
from reconcile.list_routes import key_of
from reconcile.schemas import ReconcileBody


def _clean(body: dict[str, Any], warnings: Warnings) -> dict[str, Any]:
    records = body.get("active")
    if not isinstance(records, list):
        return body
    mended = [
        cleaned_record(record, warnings, f"active.{place}") for place, record in enumerate(records)
    ]
    return {**body, "active": mended}


@api.route(
    "POST",
    "/reconcile",
    Access(Scope.ADMIN, body=True, clean=_clean, limit=MAX_LIST_BYTES),
    answers={200: answers.PassReport, 202: answers.JobBegun},
    problems=("in-progress",),
    takes=("Idempotency-Key",),
)
def post_reconcile(body: Annotated[ReconcileBody, Body()]) -> Response[str]:
    """Make a namespace's client-written active records exactly a list, whatever they were.

    `revision` orders the passes: one that is lower than the newest begun changes nothing. Over
    1,000 changes, what would take over 20 seconds, and `mode: "async"` become a job.
    """
    refuse_guards(api)
    tenant, namespace = api.caller.grant.tenant, body.namespace or DEFAULT_NAMESPACE
    found = services().once.answer(
        tenant, namespace, idempotency_key(api), lambda: _answered(body, tenant, namespace)
    )
    told, warnings = json.loads(found.report), api.caller.warnings
    warnings += told.pop("warnings")
    if not found.job:
        return answer(HTTPStatus.OK, {**told, "warnings": warnings})
    job = services().jobs.get(tenant, found.job)
    if job is None:
        raise Unavailable("the job cannot be read", stage="table")
    return begun(job)


def _answered(body: ReconcileBody, tenant: str, namespace: str) -> Answered:
    """The answer with what was mended in a list that is read from the bucket: a repetition does not
    read it again.
    """
    warnings: Warnings = []
    if body.source:
        done = _canonical(body, tenant, namespace)
    else:
        done = _passed(body, tenant, namespace, warnings)
    job, report = (done.id, {}) if isinstance(done, Job) else ("", done.to_json())
    told = json.dumps({**report, "warnings": warnings}, ensure_ascii=False)
    return Answered(job=job, report=told)


def _canonical(body: ReconcileBody, tenant: str, namespace: str) -> PassReport | Job:
    return services().canonical.reconcile(
        tenant, namespace, dry_run=bool(body.dry_run), job=body.mode is not None
    )


def _passed(
    body: ReconcileBody, tenant: str, namespace: str, warnings: Warnings
) -> PassReport | Job:
    request = PassRequest(
        tenant=tenant,
        namespace=namespace,
        revision=body.revision or 0,
        forget=bool(body.forget),
        by=api.caller.grant.key_id,
    )
    passes, dry_run, job = services().passes, bool(body.dry_run), body.mode is not None
    if body.active_uri is None:
        return passes.reconcile(request, body.desired, dry_run=dry_run, job=job)
    key = key_of(body.active_uri, tenant)
    size = services().objects.size(key)
    if size is None:
        msg = "there is no such list"
        raise InvalidRequest.one("body", "active_uri", msg=msg, kind="not_there")
    if job or size > MAX_LIST_BYTES:
        return passes.read_later(request, key, dry_run=dry_run)
    desired = list(listed(services().objects.lines(key), warnings))
    return passes.reconcile(request, desired, dry_run=dry_run)
