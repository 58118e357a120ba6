"""Search: one question to one namespace."""

from functools import cache
from http import HTTPStatus
from typing import Annotated, Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Body

from palimpsest.api.fields import Warnings, cleaned
from palimpsest.api.resolver import Access, HttpApi, answer
from palimpsest.api.search_json import search_json
from palimpsest.bootstrap import SearchServices, prime, search_services
from palimpsest.domain.keys import Scope
from search.schemas import SearchBody


def _clean(body: Any, warnings: Warnings) -> Any:
    if not isinstance(body, dict) or "query" not in body:
        return body
    return {**body, "query": cleaned(body["query"], "query", warnings)}


@cache
def services() -> SearchServices:
    """The services of this process."""
    return search_services()


api = HttpApi(paths_are_decoded=lambda: services().settings.paths_are_decoded)
app = api.app


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """The function's entry point: an API Gateway proxy event."""
    return api.handle(event, context)


@api.route("POST", "/search", Access(Scope.READ, body=True, clean=_clean))
def post_search(body: Annotated[SearchBody, Body()]) -> Response[str]:
    """Search a namespace."""
    found = services().search.search(body.to_request(api.caller.grant.tenant))
    return answer(HTTPStatus.OK, search_json(found, warnings=api.caller.warnings))


prime(services)
