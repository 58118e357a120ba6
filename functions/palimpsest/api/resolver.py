"""The way of every HTTP request: identity, body, route, answer; and a problem document for every
failure.

Powertools routes, validates bodies by their models and keeps the OpenAPI document; what it would
crash on (bodies that are not UTF-8, multipart) never reaches it.
"""

import json
import re
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any, TypeVar
from urllib.parse import quote, unquote

from aws_lambda_powertools.event_handler import APIGatewayRestResolver, Response
from aws_lambda_powertools.event_handler.exceptions import ServiceError
from aws_lambda_powertools.event_handler.openapi.exceptions import RequestValidationError

from palimpsest.api import body as bodies
from palimpsest.api.fields import Warnings
from palimpsest.api.identity import check_namespaces, grant_of
from palimpsest.api.problems import problem
from palimpsest.domain import errors
from palimpsest.domain.keys import Grant, Scope
from palimpsest.domain.names import MAX_BODY_BYTES
from palimpsest.observability import logger

PARAMETER = re.compile(r"{(\w+)\+?}")

Cleaner = Callable[[Any, Warnings], Any]
Route = TypeVar("Route", bound=Callable[..., Response[str]])


def _as_it_is(body: Any, _: Warnings) -> Any:
    return body


@dataclass(frozen=True, slots=True)
class Access:
    """What a route asks for: the scope of a key (None: no key), whether it takes a body, how broken
    characters are taken out of that body, whether it is about records, which are those of the
    default namespace where the body names none, how large a body may be, and whether one without
    members is taken (`empty`) where there is none.
    """

    scope: Scope | None
    body: bool = False
    clean: Cleaner = _as_it_is
    in_namespaces: bool = True
    limit: int = MAX_BODY_BYTES
    empty: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """What a route tells of itself for the OpenAPI document; `api/contract.py` adds what follows
    from its access.

    `answers` has the model of each status but problems (None: no body), `problems` the slugs that
    only such a route can answer, `takes` and `sends` the names of its headers.
    """

    route: Callable[..., Response[str]]
    access: Access
    answers: Mapping[int, Any]
    problems: Sequence[str]
    takes: Sequence[str]
    sends: Sequence[str]


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks, the path parameters as they were meant, what was taken out of the body, and the
    body as it came.
    """

    grant: Grant
    path: Mapping[str, str]
    warnings: Warnings
    body: Any


class HttpApi:
    """One function's routes behind one way in."""

    def __init__(self, *, paths_are_decoded: Callable[[], bool]) -> None:
        self.app = APIGatewayRestResolver(enable_validation=True)
        self.declared: dict[tuple[str, str], Declared] = {}
        self._decoded = paths_are_decoded
        for kind in (errors.PalimpsestError, RequestValidationError, ServiceError, Exception):
            self.app.exception_handler(kind)(self._failed)

    def route(
        self,
        method: str,
        resource: str,
        access: Access,
        *,
        answers: Mapping[int, Any],
        problems: Sequence[str] = (),
        takes: Sequence[str] = (),
        sends: Sequence[str] = (),
    ) -> Callable[[Route], Route]:
        """Register a route: a resource is the gateway's template, such as `/namespaces/{ns}`; the
        rest is what `Declared` tells.
        """

        def registered(route: Route) -> Route:
            self.declared[method, resource] = Declared(
                route=route,
                access=access,
                answers=answers,
                problems=problems,
                takes=takes,
                sends=sends,
            )
            rule = PARAMETER.sub(r"<\1>", resource)
            self.app.route(rule, method)(route)
            return route

        return registered

    @property
    def caller(self) -> Caller:
        """Who asks, within a route."""
        found: Caller = self.app.context["caller"]
        return found

    def header(self, name: str) -> str | None:
        """A header of the present request, without regard to case."""
        return bodies.header(self.app.current_event.raw_event, name)

    def handle(self, event: dict[str, Any], context: Any) -> dict[str, Any]:
        """Answer a proxy event. Never raises: what is not foreseen is a 500 without its cause."""
        request_id = request_id_of(event, context)
        try:
            prepared, caller = self._prepared(event)
            self.app.context.update(caller=caller, request_id=request_id)
            answer: dict[str, Any] = self.app.resolve(prepared, context)
        except Exception as error:  # noqa: BLE001  # the boundary: every failure becomes a problem
            answer = self._serialised(_told(error, request_id))
        answer.setdefault("multiValueHeaders", {})["X-Request-Id"] = [request_id]
        logger.info(
            "request",
            extra={
                "route": f"{event.get('httpMethod')} {event.get('resource')}",
                "status": answer["statusCode"],
                "request_id": request_id,
            },
        )
        return answer

    def _prepared(self, event: dict[str, Any]) -> tuple[dict[str, Any], Caller | None]:
        method, resource = str(event.get("httpMethod")), str(event.get("resource"))
        declared = self.declared.get((method, resource))
        if declared is None:
            raise errors.NotFound("no such route")
        access = declared.access
        path = self._path(event)
        grant = grant_of(event, access.scope, now=datetime.now(UTC)) if access.scope else None
        if grant is not None and "ns" in path:
            check_namespaces(grant, path, None)
        warnings: Warnings = []
        sent = _object(event, access.limit) if access.body else None
        if access.empty and event.get("body"):
            _refuse_members(_object(event, access.limit))
        body = access.clean(sent, warnings) if access.body else None
        if grant is not None and access.body and access.in_namespaces and "ns" not in path:
            check_namespaces(grant, path, body)
        route = PARAMETER.sub(lambda name: quote(path[name[1]], safe="") or "%00", resource)
        prepared = dict(event, path=route, isBase64Encoded=False)
        prepared["body"] = json.dumps(body) if access.body else None
        prepared["headers"] = {k.lower(): v for k, v in (event.get("headers") or {}).items()}
        if access.body:
            prepared["headers"]["content-type"] = (
                bodies.JSON_TYPE
            )  # checked; Powertools knows no other
        return prepared, Caller(grant, path, warnings, sent) if grant else None

    def _path(self, event: Mapping[str, Any]) -> dict[str, str]:
        found = event.get("pathParameters") or {}
        return {k: str(v) if self._decoded() else unquote(str(v)) for k, v in found.items()}

    def _failed(self, error: Exception) -> Response[str]:
        return _told(error, str(self.app.context.get("request_id", "")))

    @staticmethod
    def _serialised(response: Response[str]) -> dict[str, Any]:
        headers = {k: [v] for k, v in response.headers.items() if isinstance(v, str)}
        headers["Content-Type"] = [response.content_type or ""]
        return {
            "statusCode": response.status_code,
            "body": response.body,
            "isBase64Encoded": False,
            "multiValueHeaders": headers,
        }


def _refuse_members(body: Mapping[str, Any]) -> None:
    """Raises `InvalidRequest` for each member of a body that must not have any."""
    kind, msg = "extra_forbidden", "Extra inputs are not permitted"
    found = [errors.FieldError(("body", name), msg, kind) for name in body]
    if found:
        raise errors.InvalidRequest(found)


def _object(event: Mapping[str, Any], limit: int) -> dict[str, Any]:
    """The body, which must be an object."""
    body = bodies.parse(event, limit=limit)
    if not isinstance(body, dict):  # Powertools would take the first element of a list
        raise errors.InvalidRequest.one("body", msg="the body must be an object", kind="object")
    return body


def request_id_of(event: Mapping[str, Any], context: Any) -> str:
    """The gateway's id of the request; the function's own where there is none."""
    found = (event.get("requestContext") or {}).get("requestId")
    return str(found or getattr(context, "aws_request_id", None) or uuid.uuid4())


def answer(
    status: int, body: Mapping[str, Any], *, headers: Mapping[str, str] | None = None
) -> Response[str]:
    """A JSON answer."""
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return Response(status, content_type=bodies.JSON_TYPE, body=text, headers=dict(headers or {}))


def _told(error: Exception, request_id: str) -> Response[str]:
    if isinstance(error, RequestValidationError):
        found = [
            errors.FieldError(tuple(e["loc"]), str(e["msg"]), str(e["type"]))
            for e in error.errors()
        ]
        return problem(errors.InvalidRequest(found), request_id=request_id)
    if isinstance(error, ServiceError):
        known = {404: errors.NotFound, 405: errors.MethodNotAllowed}.get(int(error.status_code))
        if known is not None:
            return problem(known("no such route"), request_id=request_id)
    told = problem(error, request_id=request_id)
    if told.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR:
        logger.error("failed", exc_info=error, extra={"request_id": request_id})
    return told
