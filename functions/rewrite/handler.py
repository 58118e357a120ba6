"""Rewrite: the HTTP entry point. Each module of routes registers its own on `rewrite.app.api`."""

from typing import Any

from palimpsest.bootstrap import prime
from rewrite import rewrite_routes
from rewrite.app import api, services

ROUTES = (rewrite_routes,)
app = api.app


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """The function's entry point: an API Gateway proxy event."""
    return api.handle(event, context)


prime(services)
