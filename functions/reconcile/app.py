"""The way in of the reconcile function, and the services of this process."""

from functools import cache

from palimpsest.api.resolver import HttpApi
from palimpsest.bootstrap.reconcile import ReconcileServices, reconcile_services


@cache
def services() -> ReconcileServices:
    """The services of this process."""
    return reconcile_services()


api = HttpApi(paths_are_decoded=lambda: services().settings.paths_are_decoded)
