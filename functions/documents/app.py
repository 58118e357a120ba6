"""The way in of the documents function, and the services of this process."""

from functools import cache

from palimpsest.api.cursors import Cursors
from palimpsest.api.resolver import HttpApi
from palimpsest.bootstrap.documents import DocumentsServices, documents_services

DOCUMENTS = "/namespaces/{ns}/documents"
DOCUMENT = f"{DOCUMENTS}/{{id}}"


@cache
def services() -> DocumentsServices:
    """The services of this process."""
    return documents_services()


api = HttpApi(paths_are_decoded=lambda: services().settings.paths_are_decoded)
cursors = Cursors(lambda: services().signing_key())
