"""The service itself: that it runs, and what it promises."""

from functools import cache
from http import HTTPStatus
from pathlib import Path

from aws_lambda_powertools.event_handler import Response

from palimpsest import __version__
from palimpsest.api.body import JSON_TYPE
from palimpsest.api.resolver import Access, answer
from records import answers
from records.app import api


@api.route("GET", "/health", Access(None), answers={200: answers.Health})
def get_health() -> Response[str]:
    """The function runs; no dependency is touched."""
    return answer(HTTPStatus.OK, {"status": "ok", "version": __version__})


@cache
def _document() -> str:
    """The committed document: made by `make openapi` and deployed with the function."""
    return (Path(__file__).parent / "openapi.json").read_text(encoding="utf-8")


@api.route("GET", "/openapi.json", Access(None), answers={200: answers.OpenApiDocument})
def get_openapi() -> Response[str]:
    """This document."""
    return Response(HTTPStatus.OK, content_type=JSON_TYPE, body=_document())
