"""Namespaces: which there are, and their status."""

from http import HTTPStatus

from aws_lambda_powertools.event_handler import Response

from palimpsest.api.paging import CursorParameter, Limit, cursor_of, limit_of, place_of
from palimpsest.api.resolver import Access, answer
from palimpsest.domain.keys import Scope
from records import answers
from records.app import NAMESPACE, api, cursors, services


@api.route(
    "GET",
    "/namespaces",
    Access(Scope.READ),
    answers={200: answers.NamespacesPage},
    problems=("cursor-mismatch",),
)
def list_namespaces(limit: Limit = None, cursor: CursorParameter = None) -> Response[str]:
    """List the tenant's namespaces that this key may see."""
    grant = api.caller.grant
    bound = (grant.tenant, "namespaces", ",".join(grant.namespaces))
    (after,) = place_of(cursors, cursor, bound) or ("",)
    page = services().namespaces.page(
        grant.tenant, grant.admits, limit=limit_of(limit), after=after
    )
    listed = [{"namespace": name, "revision": revision} for name, revision in page.namespaces]
    following = cursor_of(cursors, None if page.after is None else (page.after,), bound)
    return answer(HTTPStatus.OK, {"namespaces": listed, "next_cursor": following})


@api.route("GET", NAMESPACE, Access(Scope.READ), answers={200: answers.NamespaceStatus})
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
