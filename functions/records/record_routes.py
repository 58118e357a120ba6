"""One record: put, create, read, forget."""

import re
import secrets
import time
from http import HTTPStatus
from typing import Annotated

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Body, Query

from palimpsest.api.fields import cleaned_members
from palimpsest.api.paging import WHOLE_NUMBER
from palimpsest.api.record_body import RecordBody
from palimpsest.api.record_json import record_json
from palimpsest.api.request_guards import idempotency_key, refuse_guards
from palimpsest.api.resolver import Access, answer
from palimpsest.domain.commit_planning import CommitRequest, Operation
from palimpsest.domain.errors import InvalidRequest, NotFound, RevisionConflict
from palimpsest.domain.ids import uuid7
from palimpsest.domain.keys import Scope
from palimpsest.domain.names import checked_record_id
from palimpsest.domain.records import Record
from palimpsest.domain.visibility import exists
from palimpsest.services.commit import Committed
from records import answers
from records.app import RECORD, RECORDS, api, services
from records.guards import guard

_TAGS = re.compile(r'(?:W/)?"([^"]*)"')


def _etag(revision: int) -> dict[str, str]:
    return {"ETag": f'"{revision}"'}


def _record_id(*, writing: bool) -> str:
    return checked_record_id(api.caller.path["id"], "path", "id", writing=writing)


def _commit_one(operation: Operation) -> Committed:
    """A commit of one record; its guard is reported as a precondition."""
    caller = api.caller
    request = CommitRequest(
        tenant=caller.grant.tenant,
        namespace=caller.path["ns"],
        operations=[operation],
        by=caller.grant.key_id,
        idempotency=idempotency_key(api),
    )
    try:
        return services().commits.commit(request)
    except RevisionConflict as error:
        found = error.operations[0].revision or None
        msg = "the record is not at the revision expected"
        raise RevisionConflict(msg, current_revision=found, precondition=True) from error


def _written(committed: Committed, *, location: bool = False) -> Response[str]:
    """The answer to a put. A repeated one is built again from the table, as of its revision: its
    record is null where it has been forgotten since.
    """
    (outcome,) = committed.outcomes
    headers = _etag(outcome.revision)
    if location:  # relative to the collection, so that it holds below any prefix
        headers["Location"] = f"./records/{outcome.id}"
    record: Record | None
    if committed.repeated:
        tenant, namespace = api.caller.grant.tenant, api.caller.path["ns"]
        record = services().history.as_of(tenant, namespace, outcome.id, outcome.revision)
    else:
        (record,) = committed.records
    return answer(
        HTTPStatus.CREATED if outcome.created else HTTPStatus.OK,
        {
            "record": record_json(record) if record else None,
            "changed": outcome.changed,
            "revision": outcome.revision,
            "warnings": api.caller.warnings,
        },
        headers=headers,
    )


@api.route(
    "PUT",
    RECORD,
    Access(Scope.WRITE, body=True, clean=cleaned_members),
    answers={200: answers.Written, 201: answers.Written},
    takes=("If-Match", "If-None-Match", "Idempotency-Key"),
    sends=("ETag",),
)
def put_record(ns: str, id: str, body: Annotated[RecordBody, Body()]) -> Response[str]:
    """Create or replace a record."""
    record_id = _record_id(writing=True)
    return _written(_commit_one(Operation(id=record_id, content=body.to_content(), guard=guard())))


@api.route(
    "POST",
    RECORDS,
    Access(Scope.WRITE, body=True, clean=cleaned_members),
    answers={201: answers.Written},
    takes=("Idempotency-Key",),
    sends=("ETag", "Location"),
)
def post_record(ns: str, body: Annotated[RecordBody, Body()]) -> Response[str]:
    """Create a record under a generated id, a UUID of version 7."""
    refuse_guards(api)
    record_id = uuid7(time.time_ns(), secrets.randbits(62))
    operation = Operation(id=record_id, content=body.to_content(), guard=0)
    return _written(_commit_one(operation), location=True)


@api.route(
    "GET",
    RECORD,
    Access(Scope.READ),
    answers={200: answers.Record, 304: None},
    takes=("If-None-Match",),
    sends=("ETag",),
)
def get_record(
    ns: str,
    id: str,
    revision: Annotated[str | None, Query(pattern=WHOLE_NUMBER)] = None,
) -> Response[str]:
    """Read a record, strongly consistent; as of a revision on request."""
    tenant, record_id = api.caller.grant.tenant, _record_id(writing=False)
    if revision is not None:
        record = services().history.as_of(tenant, api.caller.path["ns"], record_id, int(revision))
    else:
        clock, found = services().store.read(tenant, api.caller.path["ns"], [record_id])
        record = found.get(record_id)
        record = record if record is not None and exists(record, clock) else None
    if record is None:
        raise NotFound("no such record")
    tags = api.header("if-none-match")
    known = tags is not None and (tags.strip() == "*" or str(record.read_as) in _TAGS.findall(tags))
    if known:
        return Response(HTTPStatus.NOT_MODIFIED, body="", headers=dict(_etag(record.read_as)))
    return answer(HTTPStatus.OK, record_json(record), headers=_etag(record.read_as))


@api.route(
    "DELETE",
    RECORD,
    Access(Scope.WRITE),
    answers={200: answers.Forgotten},
    takes=("If-Match", "Idempotency-Key"),
)
def delete_record(ns: str, id: str) -> Response[str]:
    """Forget a record: its content goes, a tombstone with its revision stays."""
    if api.header("if-none-match") is not None:
        loc = ("header", "if-none-match")
        raise InvalidRequest.one(*loc, msg="what is not there cannot be forgotten")
    operation = Operation(id=_record_id(writing=True), content=None, guard=guard())
    (outcome,) = _commit_one(operation).outcomes
    return answer(HTTPStatus.OK, {"id": outcome.id, "revision": outcome.revision})
