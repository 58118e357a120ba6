"""What the routes of search share: the way in, and the services of this process."""

from functools import cache

from palimpsest.api.resolver import HttpApi
from palimpsest.bootstrap.search import SearchServices, search_services


@cache
def services() -> SearchServices:
    """The services of this process."""
    return search_services()


api = HttpApi(paths_are_decoded=lambda: services().settings.paths_are_decoded)
