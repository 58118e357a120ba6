"""The way in of the rewrite function, and the services of this process."""

from functools import cache

from palimpsest.api.resolver import HttpApi
from palimpsest.bootstrap.rewrite import RewriteServices, rewrite_services


@cache
def services() -> RewriteServices:
    """The services of this process."""
    return rewrite_services()


api = HttpApi(paths_are_decoded=lambda: services().settings.paths_are_decoded)
