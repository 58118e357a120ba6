"""Documents: the HTTP entry point. Each module of routes registers its own on `app.api`."""

from typing import Any

from documents import document_routes, upload_routes
from documents.app import api, services
from palimpsest.bootstrap import prime

ROUTES = (document_routes, upload_routes)
app = api.app


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """The function's entry point: an API Gateway proxy event."""
    return api.handle(event, context)


prime(services)
