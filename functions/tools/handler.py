"""Tools: the HTTP entry point. Each module of routes registers its own on `app.api`."""

from typing import Any

from palimpsest.bootstrap import prime
from tools import tool_routes
from tools.app import api, services

ROUTES = (tool_routes,)
app = api.app


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """The function's entry point: an API Gateway proxy event."""
    return api.handle(event, context)


prime(services)
