"""One record: put, read, forget."""

import re
from http import HTTPStatus
from typing import Annotated

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Body, Query

from palimpsest.api.fields import cleaned_members
from palimpsest.api.record_json import record_json
from palimpsest.api.resolver import Access, answer
from palimpsest.domain.commit_planning import CommitRequest, Operation, Planned
from palimpsest.domain.errors import NotFound, RevisionConflict
from palimpsest.domain.keys import Scope
from palimpsest.domain.names import checked_record_id
from palimpsest.domain.records import Content, Record
from palimpsest.domain.visibility import exists
from records.app import RECORD, api, services
from records.guards import guard, refuse_later
from records.schemas import RecordBody

WHOLE_NUMBER = "^[0-9]{1,18}$"
_TAGS = re.compile(r'(?:W/)?"([^"]*)"')


def _etag(record: Record) -> dict[str, str]:
    return {"ETag": f'"{record.revision}"'}


def _record_id(*, writing: bool) -> str:
    return checked_record_id(api.caller.path["id"], "path", "id", writing=writing)


def _commit_one(content: Content | None) -> Planned:
    """A commit of one record; its guard is reported as a precondition."""
    refuse_later()
    caller = api.caller
    operation = Operation(id=_record_id(writing=True), content=content, guard=guard())
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


@api.route("PUT", RECORD, Access(Scope.WRITE, body=True, clean=cleaned_members))
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


@api.route("GET", RECORD, Access(Scope.READ))
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


@api.route("DELETE", RECORD, Access(Scope.WRITE))
def delete_record(ns: str, id: str) -> Response[str]:
    """Forget a record: its content goes, a tombstone with its revision stays."""
    (result,) = _commit_one(None).results
    return answer(HTTPStatus.OK, {"id": result.id, "revision": result.record.revision})
