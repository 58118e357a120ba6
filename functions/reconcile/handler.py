"""Reconcile: the HTTP entry point of passes, their lists and jobs, and of purges. Each module of
routes registers its own on `reconcile.app.api`.
"""

from typing import Any

from palimpsest.bootstrap import prime
from reconcile import job_routes, list_routes, purge_routes, reconcile_routes
from reconcile.app import api, services

ROUTES = (job_routes, list_routes, purge_routes, reconcile_routes)
app = api.app


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """The function's entry point: an API Gateway proxy event."""
    return api.handle(event, context)


prime(services)
