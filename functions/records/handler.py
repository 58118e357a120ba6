"""Records: the HTTP entry point. Each module of routes registers its own on `records.app.api`."""

from typing import Any

from palimpsest.bootstrap import prime
from records import (
    commit_routes,
    namespace_routes,
    record_routes,
    service_routes,
    unsearchable_routes,
    walk_routes,
)
from records.app import api, services

ROUTES = (
    commit_routes,
    namespace_routes,
    record_routes,
    service_routes,
    unsearchable_routes,
    walk_routes,
)
app = api.app


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """The function's entry point: an API Gateway proxy event."""
    return api.handle(event, context)


prime(services)
