"""Walks: lists of records, the history of one, the change feed."""

from http import HTTPStatus
from typing import Annotated, Literal

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Query

from palimpsest.api.document_json import document_json
from palimpsest.api.paging import (
    WHOLE_NUMBER,
    Bound,
    CursorParameter,
    Limit,
    cursor_of,
    limit_of,
    place_of,
)
from palimpsest.api.record_json import record_json
from palimpsest.api.resolver import Access, answer
from palimpsest.domain.documents import Document
from palimpsest.domain.keys import Scope
from palimpsest.domain.names import checked_record_id
from palimpsest.domain.records import Status
from palimpsest.domain.walks import Order, Position, RecordsWanted
from records import answers
from records.app import NAMESPACE, RECORD, RECORDS, api, cursors, services


def _position(cursor: str | None, bound: Bound) -> Position | None:
    place = place_of(cursors, cursor, bound)
    return None if place is None else Position(*place)


def _following(position: Position | None, bound: Bound) -> str | None:
    place = None if position is None else (position.upto, position.at, position.skip)
    return cursor_of(cursors, place, bound)


@api.route(
    "GET",
    RECORDS,
    Access(Scope.READ),
    answers={200: answers.RecordsPage},
    problems=("cursor-mismatch",),
)
def list_records(
    ns: str,
    order: Literal["newest", "oldest"] = "newest",
    status: Literal["active", "superseded", "deleted", "any"] = "active",
    kind: Annotated[str | None, Query(max_length=1024)] = None,
    limit: Limit = None,
    cursor: CursorParameter = None,
) -> Response[str]:
    """List records as they are now, newest change first unless asked otherwise."""
    tenant, namespace = api.caller.grant.tenant, api.caller.path["ns"]
    bound = (tenant, "records", namespace, order, status, kind)
    page = services().walks.records(
        tenant,
        namespace,
        RecordsWanted(status=None if status == "any" else Status(status), kind=kind),
        order=Order(order),
        limit=limit_of(limit),
        position=_position(cursor, bound),
    )
    records = [record_json(record) for record in page.records]
    body = {"records": records, "next_cursor": _following(page.following, bound)}
    return answer(HTTPStatus.OK, body)


@api.route(
    "GET",
    f"{RECORD}/revisions",
    Access(Scope.READ),
    answers={200: answers.RevisionsPage},
    problems=("cursor-mismatch",),
)
def list_revisions(
    ns: str, id: str, limit: Limit = None, cursor: CursorParameter = None
) -> Response[str]:
    """List the versions of a record, newest first; of a forgotten one its tombstone alone."""
    tenant, namespace = api.caller.grant.tenant, api.caller.path["ns"]
    record_id = checked_record_id(api.caller.path["id"], "path", "id")
    bound = (tenant, "revisions", namespace, record_id)
    (below,) = place_of(cursors, cursor, bound) or (None,)
    page = services().history.revisions(
        tenant, namespace, record_id, limit=limit_of(limit), below=below
    )
    following = cursor_of(cursors, None if page.below is None else (page.below,), bound)
    records = [record_json(record) for record in page.records]
    return answer(HTTPStatus.OK, {"revisions": records, "next_cursor": following})


@api.route(
    "GET",
    f"{NAMESPACE}/changes",
    Access(Scope.READ),
    answers={200: answers.ChangesPage},
    problems=("cursor-mismatch",),
)
def list_changes(
    ns: str,
    since: Annotated[str, Query(pattern=WHOLE_NUMBER)] = "0",
    limit: Limit = None,
    cursor: CursorParameter = None,
) -> Response[str]:
    """The change feed: every record changed after a revision, once, as it is now."""
    tenant, namespace = api.caller.grant.tenant, api.caller.path["ns"]
    bound = (tenant, "changes", namespace, int(since))
    page = services().walks.changes(
        tenant,
        namespace,
        since=int(since),
        limit=limit_of(limit),
        position=_position(cursor, bound),
    )
    return answer(
        HTTPStatus.OK,
        {
            "changes": [
                {"document": document_json(one)} if isinstance(one, Document) else record_json(one)
                for one in page.records
            ],
            "revision": page.revision,
            "floor": page.floor,
            "next_cursor": _following(page.following, bound),
        },
    )
