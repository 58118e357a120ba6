"""The service itself: that it runs."""

from http import HTTPStatus

from aws_lambda_powertools.event_handler import Response

from palimpsest import __version__
from palimpsest.api.resolver import Access, answer
from records.app import api


@api.route("GET", "/health", Access(None))
def health() -> Response[str]:
    """The function runs; no dependency is touched."""
    return answer(HTTPStatus.OK, {"status": "ok", "version": __version__})
