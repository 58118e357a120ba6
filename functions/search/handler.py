"""Search: the HTTP entry point. Each module of routes registers its own on `search.app.api`."""

from typing import Any

from palimpsest.bootstrap import prime
from search import ready_routes, receipt_routes, search_routes
from search.app import api, services

ROUTES = (ready_routes, receipt_routes, search_routes)
app = api.app


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """The function's entry point: an API Gateway proxy event."""
    return api.handle(event, context)


prime(services)
