"""The gateway before the handlers, in process: what `requests` sends becomes a proxy event, and
what a handler answers becomes a response.
"""

import base64
import io
import itertools
import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import requests
from requests.adapters import HTTPAdapter
from urllib3 import HTTPHeaderDict, HTTPResponse

from api import conformity
from http_event import Context, event

URL = "http://gateway.test/v1"
_numbers = itertools.count(1)


class Gateway(HTTPAdapter):
    """Mounted in a session, answers each request under `URL` by the function of its route, all of
    them under one grant.
    """

    def __init__(self, modules: Mapping[str, Any], *, grant: dict[str, str]) -> None:
        super().__init__()
        self._grant = grant
        self._functions = {
            (method, resource): modules[name]
            for name in ("documents", "reconcile", "records", "rewrite", "search", "tools")
            for method, resource in modules[name].api.declared
        }

    def send(self, request: requests.PreparedRequest, *_: Any, **__: Any) -> requests.Response:
        """Answer one request. A path or a method without a route is 404, as on AWS."""
        method, url = str(request.method), urlsplit(str(request.url))
        raw = url.path.removeprefix("/v1").rstrip("/").split("/")
        for (known, resource), module in self._functions.items():
            path = _parameters(resource.split("/"), raw)
            if known == method and path is not None:
                asked = _event(request, resource, path, url.query, self._grant)
                told = module.handler(asked, Context())
                conformity.check(method, resource, asked["body"], told)
                return self._response(request, told)
        return self._response(request, _no_such_route())

    def _response(
        self, request: requests.PreparedRequest, told: Mapping[str, Any]
    ) -> requests.Response:
        pairs = [(k, v) for k, values in told["multiValueHeaders"].items() for v in values]
        body = str(told["body"] or "").encode()
        raw = HTTPResponse(
            io.BytesIO(body),
            headers=HTTPHeaderDict(pairs),
            status=told["statusCode"],
            preload_content=False,
        )
        return self.build_response(request, raw)


def _parameters(template: list[str], raw: list[str]) -> dict[str, str] | None:
    """The parameters of a path, decoded, if it fits the template; none is ever empty."""
    if len(template) != len(raw):
        return None
    found = {}
    for part, given in zip(template, raw, strict=True):
        if part.startswith("{") and given:
            found[part.strip("{}")] = unquote(given)
        elif part != given:
            return None
    return found


def _event(
    request: requests.PreparedRequest,
    resource: str,
    path: dict[str, str],
    query: str,
    grant: dict[str, str],
) -> dict[str, Any]:
    """The event of a request: header names as sent, every value of the query, a body that is not
    UTF-8 in base64.
    """
    headers = {name: _text(value) for name, value in request.headers.items()}
    asked = event(str(request.method), resource, path=path or None, grant=grant)
    many = parse_qs(query, keep_blank_values=True)
    asked["headers"] = headers
    asked["multiValueHeaders"] = {name: [value] for name, value in headers.items()}
    asked["queryStringParameters"] = {name: values[-1] for name, values in many.items()} or None
    asked["multiValueQueryStringParameters"] = many or None
    asked["requestContext"]["requestId"] = f"g-{next(_numbers)}"
    body = request.body.encode() if isinstance(request.body, str) else request.body
    if isinstance(body, bytes):
        try:
            asked["body"] = body.decode()
        except UnicodeDecodeError:
            asked["body"], asked["isBase64Encoded"] = base64.b64encode(body).decode(), True
    return asked


def _text(value: str | bytes) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else value


def _no_such_route() -> dict[str, Any]:
    request_id = f"g-{next(_numbers)}"
    problem = {
        "type": "urn:palimpsest:problem:not-found",
        "title": "Not found",
        "status": 404,
        "detail": "No such route.",
        "instance": request_id,
    }
    headers = {"Content-Type": ["application/problem+json"], "X-Request-Id": [request_id]}
    return {"statusCode": 404, "body": json.dumps(problem), "multiValueHeaders": headers}
