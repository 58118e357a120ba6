"""Search: one question to a namespace, or to several."""

from http import HTTPStatus
from typing import Annotated, Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Body

from palimpsest.api.fields import Warnings, cleaned
from palimpsest.api.resolver import Access, answer
from palimpsest.api.search_json import search_json
from palimpsest.domain.keys import Scope
from palimpsest.domain.queries import SearchAnswer
from search import answers
from search.app import api, cursors, services
from search.schemas import ExplainBody, SearchBody


def _clean(body: Any, warnings: Warnings) -> Any:
    if not isinstance(body, dict) or "query" not in body:
        return body
    return {**body, "query": cleaned(body["query"], "query", warnings)}


def _told(found: SearchAnswer, *, by_namespace: bool) -> dict[str, Any]:
    return search_json(
        found,
        warnings=api.caller.warnings,
        by_namespace=by_namespace,
        next_cursor=cursors.seal(found.rest, found.request, by_namespace=by_namespace),
    )


@api.route(
    "POST",
    "/search",
    Access(Scope.READ, body=True, clean=_clean),
    answers={200: answers.SearchAnswer},
    problems=("provider-error", "cursor-mismatch"),
)
def post_search(body: Annotated[SearchBody, Body()]) -> Response[str]:
    """Search a namespace, or several."""
    request, several = body.to_request(api.caller.grant.tenant), body.namespaces is not None
    rest = None
    if body.cursor is not None:
        rest = cursors.open(body.cursor, request, by_namespace=several)
    found = services().search.search(request, rest)
    return answer(HTTPStatus.OK, _told(found, by_namespace=several))


@api.route(
    "POST",
    "/explain",
    Access(Scope.READ, body=True, clean=_clean),
    answers={200: answers.Explanation},
    problems=("provider-error",),
)
def post_explain(body: Annotated[ExplainBody, Body()]) -> Response[str]:
    """Search, and tell of each expected id the stage at which it was lost."""
    request = body.to_request(api.caller.grant.tenant)
    found, told = services().explain.explain(request, body.expected)
    search = _told(found, by_namespace=body.namespaces is not None)
    expected = [{"id": one.id, "stage": one.stage.value, "stages": one.stages} for one in told]
    return answer(HTTPStatus.OK, {"expected": expected, "search": search})
