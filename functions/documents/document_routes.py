"""Documents: lists, states, text, deleting, reading again."""

import json
from http import HTTPStatus
from typing import Annotated

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Query

from documents import answers
from documents.app import DOCUMENT, DOCUMENTS, api, cursors, services
from palimpsest.api.document_json import document_json
from palimpsest.api.paging import (
    WHOLE_NUMBER,
    CursorParameter,
    Limit,
    cursor_of,
    limit_of,
    place_of,
)
from palimpsest.api.request_guards import idempotency_key, refuse_guards
from palimpsest.api.resolver import Access, answer
from palimpsest.api.shapes import Document
from palimpsest.domain.keys import Scope
from palimpsest.services.answer_once import Answered

TEXT_LIMIT = 20_000
MOST_CHARACTERS = "^([1-9][0-9]{0,4}|100000)$"


def _named() -> tuple[str, str, str]:
    """Tenant, namespace and document that the path names."""
    path = api.caller.path
    return api.caller.grant.tenant, path["ns"], path["id"]


@api.route(
    "GET",
    DOCUMENTS,
    Access(Scope.READ),
    answers={200: answers.DocumentPage},
    problems=("cursor-mismatch",),
)
def list_documents(
    ns: str,
    path: Annotated[str | None, Query(min_length=1)] = None,
    limit: Limit = None,
    cursor: CursorParameter = None,
) -> Response[str]:
    """List documents in every state; with `path` that one, if there is one."""
    tenant, namespace = api.caller.grant.tenant, api.caller.path["ns"]
    bound, most = (tenant, "documents", namespace, path), limit_of(limit)
    (after,) = place_of(cursors, cursor, bound) or ("",)
    if path is not None:
        one = services().documents.at_path(tenant, namespace, path)
        return answer(
            HTTPStatus.OK,
            {"documents": [document_json(one)] if one else [], "next_cursor": None},
        )
    found = services().documents.page(tenant, namespace, after=after, limit=most + 1)
    following = (found[most - 1].id,) if len(found) > most else None
    return answer(
        HTTPStatus.OK,
        {
            "documents": [document_json(one) for one in found[:most]],
            "next_cursor": cursor_of(cursors, following, bound),
        },
    )


@api.route("GET", DOCUMENT, Access(Scope.READ), answers={200: Document})
def get_document(ns: str, id: str) -> Response[str]:
    """A document with its state."""
    return answer(HTTPStatus.OK, document_json(services().documents.get(*_named())))


@api.route(
    "GET",
    f"{DOCUMENT}/text",
    Access(Scope.READ),
    answers={200: answers.TextPage},
    problems=("not-ready",),
)
def get_text(
    ns: str,
    id: str,
    offset: Annotated[str | None, Query(pattern=WHOLE_NUMBER)] = None,
    limit: Annotated[str | None, Query(pattern=MOST_CHARACTERS)] = None,
) -> Response[str]:
    """Read a document's text, page by page."""
    begin, most = int(offset or 0), int(limit or TEXT_LIMIT)
    page = services().documents.text(*_named(), offset=begin, limit=most)
    end = begin + len(page.text)
    return answer(
        HTTPStatus.OK,
        {
            "text": page.text,
            "offset": begin,
            "total": page.total,
            "next_offset": end if end < page.total else None,
        },
    )


@api.route(
    "DELETE",
    DOCUMENT,
    Access(Scope.WRITE),
    answers={200: answers.ForgottenDocument},
    takes=("Idempotency-Key",),
)
def delete_document(ns: str, id: str) -> Response[str]:
    """Forget a document with its chunks, vectors, text and object."""
    refuse_guards(api)
    tenant, namespace, its_id = _named()

    def forget() -> Answered:
        by = api.caller.grant.key_id
        revision = services().documents.delete(tenant, namespace, its_id, by=by)
        return Answered(report=json.dumps({"id": its_id, "revision": revision}))

    done = services().once.answer(tenant, namespace, idempotency_key(api), forget)
    return answer(HTTPStatus.OK, json.loads(done.report))


@api.route(
    "POST",
    f"{DOCUMENT}/reindex",
    Access(Scope.WRITE, empty=True),
    answers={202: answers.ReadAgain},
    takes=("Idempotency-Key",),
)
def reindex_document(ns: str, id: str) -> Response[str]:
    """Have a document read again; until then it is found as it is."""
    refuse_guards(api)
    tenant, namespace, its_id = _named()

    def send() -> Answered:
        services().documents.read_again(tenant, namespace, its_id)
        return Answered(report=its_id)

    services().once.answer(tenant, namespace, idempotency_key(api), send)
    document = services().documents.get(tenant, namespace, its_id)
    return answer(HTTPStatus.ACCEPTED, {"document": document_json(document)})
