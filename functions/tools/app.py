"""The way in of the tools function, and the services of this process."""

from functools import cache

from palimpsest.api.resolver import HttpApi
from palimpsest.bootstrap.tools import ToolsServices, tools_services


@cache
def services() -> ToolsServices:
    """The services of this process."""
    return tools_services()


api = HttpApi(paths_are_decoded=lambda: services().settings.paths_are_decoded)
