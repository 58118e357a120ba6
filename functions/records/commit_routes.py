"""Commits: several operations, all or nothing, under one revision."""

from http import HTTPStatus
from typing import Annotated, Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Body

from palimpsest.api.fields import Warnings, cleaned_members
from palimpsest.api.request_guards import idempotency_key, refuse_guards
from palimpsest.api.resolver import Access, answer
from palimpsest.domain.commit_planning import CommitRequest
from palimpsest.domain.keys import Scope
from records import answers
from records.app import NAMESPACE, api, services
from records.schemas import CommitBody


def _clean_commit(body: Any, warnings: Warnings) -> Any:
    operations = body.get("operations") if isinstance(body, dict) else None
    if not isinstance(operations, list):
        return body
    cleaned = []
    for index, operation in enumerate(operations):
        if isinstance(operation, dict) and "record" in operation:
            prefix = f"operations.{index}.record."
            record = cleaned_members(operation["record"], warnings, prefix=prefix)
            cleaned.append({**operation, "record": record})
        else:
            cleaned.append(operation)
    return {**body, "operations": cleaned}


@api.route(
    "POST",
    f"{NAMESPACE}/commits",
    Access(Scope.WRITE, body=True, clean=_clean_commit),
    answers={200: answers.Committed},
    problems=("revision-conflict",),
    takes=("Idempotency-Key",),
)
def post_commit(ns: str, body: Annotated[CommitBody, Body()]) -> Response[str]:
    """Apply operations all or nothing under one revision."""
    refuse_guards(api)
    caller = api.caller
    committed = services().commits.commit(
        CommitRequest(
            tenant=caller.grant.tenant,
            namespace=caller.path["ns"],
            operations=[operation.to_operation(i) for i, operation in enumerate(body.operations)],
            by=caller.grant.key_id,
            expected_revision=body.expected_revision,
            idempotency=idempotency_key(api),
        )
    )
    results = [
        {"id": outcome.id, "revision": outcome.revision, "changed": outcome.changed}
        for outcome in committed.outcomes
    ]
    return answer(
        HTTPStatus.OK,
        {"revision": committed.revision, "results": results, "warnings": caller.warnings},
    )
