"""What the routes of records share: the way in, and the services of this process."""

from functools import cache

from palimpsest.api.cursors import Cursors
from palimpsest.api.resolver import HttpApi
from palimpsest.bootstrap.records import RecordsServices, records_services

NAMESPACE = "/namespaces/{ns}"
RECORDS = f"{NAMESPACE}/records"
RECORD = f"{RECORDS}/{{id}}"


@cache
def services() -> RecordsServices:
    """The services of this process."""
    return records_services()


api = HttpApi(paths_are_decoded=lambda: services().settings.paths_are_decoded)
cursors = Cursors(lambda: services().signing_key())
