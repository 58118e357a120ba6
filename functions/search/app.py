"""What the routes of search share: the way in, and the services of this process."""

from functools import cache

from palimpsest.api.cursors import Cursors
from palimpsest.api.resolver import HttpApi
from palimpsest.api.search_cursor import SearchCursors
from palimpsest.bootstrap.search import SearchServices, search_services


@cache
def services() -> SearchServices:
    """The services of this process."""
    return search_services()


api = HttpApi(paths_are_decoded=lambda: services().settings.paths_are_decoded)
cursors = SearchCursors(Cursors(lambda: services().signing_key()))
