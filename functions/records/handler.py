"""Records: put, read, forget, commit; and the status of a namespace."""

import re
from functools import cache
from http import HTTPStatus
from typing import Annotated, Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Body, Query

from palimpsest import __version__
from palimpsest.api.fields import Warnings, cleaned_members
from palimpsest.api.record_json import record_json
from palimpsest.api.resolver import Access, HttpApi, answer
from palimpsest.bootstrap import RecordsServices, prime, records_services
from palimpsest.domain.commit_planning import EXISTS, CommitRequest, Guard, Operation, Planned
from palimpsest.domain.errors import InvalidRequest, NotFound, RevisionConflict
from palimpsest.domain.keys import Scope
from palimpsest.domain.names import checked_record_id
from palimpsest.domain.records import Content, Record
from palimpsest.domain.visibility import exists
from records.schemas import CommitBody, RecordBody

RECORD = "/namespaces/{ns}/records/{id}"
WHOLE_NUMBER = "^[0-9]{1,18}$"
_STRONG_TAG = re.compile(r'"([1-9]\d{0,15})"')
_TAGS = re.compile(r'(?:W/)?"([^"]*)"')


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


@cache
def services() -> RecordsServices:
    """The services of this process."""
    return records_services()


api = HttpApi(
    {
        ("PUT", RECORD): Access(Scope.WRITE, body=True, clean=cleaned_members),
        ("GET", RECORD): Access(Scope.READ),
        ("DELETE", RECORD): Access(Scope.WRITE),
        ("POST", "/namespaces/{ns}/commits"): Access(Scope.WRITE, body=True, clean=_clean_commit),
        ("GET", "/namespaces/{ns}"): Access(Scope.READ),
        ("GET", "/health"): Access(None),
    },
    paths_are_decoded=lambda: services().settings.paths_are_decoded,
)
app = api.app


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """The function's entry point: an API Gateway proxy event."""
    return api.handle(event, context)


def _etag(record: Record) -> dict[str, str]:
    return {"ETag": f'"{record.revision}"'}


def _guard() -> Guard:
    """The guard of `If-Match` or `If-None-Match`. Raises `InvalidRequest` for nonsense or
    for both.
    """
    match, none_match = api.header("if-match"), api.header("if-none-match")
    if match is not None and none_match is not None:
        loc = ("header", "if-match")
        raise InvalidRequest.one(*loc, msg="If-Match and If-None-Match exclude each other")
    if none_match is not None:
        if none_match.strip() != "*":
            raise InvalidRequest.one("header", "if-none-match", msg='only "*" is known here')
        return 0
    if match is None:
        return None
    if match.strip() == "*":
        return EXISTS
    tag = _STRONG_TAG.fullmatch(match.strip())
    if tag is None:
        msg = "a strong tag is a revision in quotes, as ETag gives it"
        raise InvalidRequest.one("header", "if-match", msg=msg)
    return int(tag[1])


def _refuse_later() -> None:
    """What this version does not keep yet is refused by name (docs/decisions/008)."""
    if api.header("idempotency-key") is not None:
        raise InvalidRequest.one("header", "idempotency-key", msg="this version keeps no keys")


def _record_id(*, writing: bool) -> str:
    return checked_record_id(api.caller.path["id"], "path", "id", writing=writing)


def _commit_one(content: Content | None) -> Planned:
    """A commit of one record; its guard is reported as a precondition."""
    _refuse_later()
    caller = api.caller
    operation = Operation(id=_record_id(writing=True), content=content, guard=_guard())
    request = CommitRequest(
        tenant=caller.grant.tenant,
        namespace=caller.path["ns"],
        operations=[operation],
        by=caller.grant.key_id,
    )
    try:
        return services().commits.commit(request)
    except RevisionConflict as error:
        found = error.operations[0].revision or None
        msg = "the record is not at the revision expected"
        raise RevisionConflict(msg, current_revision=found, precondition=True) from error


@app.put("/namespaces/<ns>/records/<id>")
def put_record(ns: str, id: str, body: Annotated[RecordBody, Body()]) -> Response[str]:
    """Create or replace a record."""
    planned = _commit_one(body.to_content())
    (result,) = planned.results
    status = HTTPStatus.CREATED if result.created else HTTPStatus.OK
    return answer(
        status,
        {
            "record": record_json(result.record),
            "changed": result.changed,
            "revision": result.record.revision,
            "warnings": api.caller.warnings,
        },
        headers=_etag(result.record),
    )


@app.get("/namespaces/<ns>/records/<id>")
def get_record(
    ns: str,
    id: str,
    revision: Annotated[str | None, Query(pattern=WHOLE_NUMBER)] = None,
) -> Response[str]:
    """Read a record, strongly consistent; as of a revision on request."""
    tenant, record_id = api.caller.grant.tenant, _record_id(writing=False)
    if revision is not None:
        record = services().store.as_of(tenant, api.caller.path["ns"], record_id, int(revision))
    else:
        clock, found = services().store.read(tenant, api.caller.path["ns"], [record_id])
        record = found.get(record_id)
        record = record if record is not None and exists(record, clock) else None
    if record is None:
        raise NotFound("no such record")
    tags = api.header("if-none-match")
    known = tags is not None and (
        tags.strip() == "*" or str(record.revision) in _TAGS.findall(tags)
    )
    if known:
        return Response(HTTPStatus.NOT_MODIFIED, body="", headers=dict(_etag(record)))
    return answer(HTTPStatus.OK, record_json(record), headers=_etag(record))


@app.delete("/namespaces/<ns>/records/<id>")
def delete_record(ns: str, id: str) -> Response[str]:
    """Forget a record: its content goes, a tombstone with its revision stays."""
    (result,) = _commit_one(None).results
    return answer(HTTPStatus.OK, {"id": result.id, "revision": result.record.revision})


@app.post("/namespaces/<ns>/commits")
def post_commit(ns: str, body: Annotated[CommitBody, Body()]) -> Response[str]:
    """Apply operations all or nothing under one revision."""
    _refuse_later()
    caller = api.caller
    planned = services().commits.commit(
        CommitRequest(
            tenant=caller.grant.tenant,
            namespace=caller.path["ns"],
            operations=[operation.to_operation(i) for i, operation in enumerate(body.operations)],
            by=caller.grant.key_id,
            expected_revision=body.expected_revision,
        )
    )
    results = [
        {"id": r.id, "revision": r.record.revision, "changed": r.changed} for r in planned.results
    ]
    return answer(
        HTTPStatus.OK,
        {"revision": planned.revision, "results": results, "warnings": caller.warnings},
    )


@app.get("/namespaces/<ns>")
def get_namespace(ns: str) -> Response[str]:
    """The status of a namespace: its clock, how far the index is, its counts."""
    status = services().status.status(api.caller.grant.tenant, api.caller.path["ns"])
    return answer(
        HTTPStatus.OK,
        {
            "namespace": api.caller.path["ns"],
            "revision": status.revision,
            "indexed_revision": status.indexed_revision,
            "lag": status.lag,
            "counts": status.counts,
            "embedding_model": status.embedding_model,
            "index_generation": status.index_generation,
        },
    )


@app.get("/health")
def health() -> Response[str]:
    """The function runs; no dependency is touched."""
    return answer(HTTPStatus.OK, {"status": "ok", "version": __version__})


prime(services)
