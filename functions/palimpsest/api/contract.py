"""What a declared route promises beside its own models: problems, parameters of the path, headers.

This is read when the OpenAPI document is made; no function loads it.
"""

import inspect
from collections.abc import Iterator, Mapping, Sequence
from http import HTTPStatus
from typing import Any, get_args, get_type_hints

from palimpsest.api.fields import NAMESPACE, RECORD_ID
from palimpsest.api.problem_shapes import PROBLEMS
from palimpsest.api.problems import PROBLEM_TYPE
from palimpsest.api.resolver import Declared
from palimpsest.domain import names
from palimpsest.domain.idempotency import MAX_KEY_CHARACTERS
from palimpsest.domain.jobs import ID_PATTERN

Json = dict[str, Any]
READING = frozenset({"GET", "HEAD"})

REQUEST_HEADERS: Mapping[str, Json] = {
    "If-Match": {
        "description": 'A revision in quotes as `ETag` gives it, or `*` for "exists".',
        "schema": {"type": "string", "pattern": r'^\s*(\*|"[1-9][0-9]{0,15}")\s*$'},
    },
    "If-None-Match": {
        "description": "`*`: only if nothing is there.",
        "schema": {"type": "string", "pattern": r"^\s*\*\s*$"},
    },
    "Idempotency-Key": {
        "description": "The same key with the same request writes once, within 24 hours.",
        "schema": {
            "type": "string",
            "minLength": 1,
            "maxLength": MAX_KEY_CHARACTERS,
            "pattern": r"^[ -~]+$",
        },
    },
}
KNOWN_TAGS: Json = {
    "description": "Entity tags that the client holds, or `*`: 304 if one is still right.",
    "schema": {"type": "string"},
}
"""`If-None-Match` of a reading route: any tag is understood, an unknown one does not match."""

RESPONSE_HEADERS: Mapping[str, Json] = {
    "X-Request-Id": {
        "description": "Names this request in logs and problems.",
        "required": True,
        "schema": {"type": "string"},
    },
    "ETag": {
        "description": "The record's revision in quotes.",
        "required": True,
        "schema": {"type": "string", "pattern": '^"[1-9][0-9]*"$'},
    },
    "Location": {
        "description": "Where the record can be read.",
        "required": True,
        "schema": {"type": "string", "format": "uri-reference"},
    },
    "Retry-After": {
        "description": "Seconds after which to try again.",
        "schema": {"type": "string", "pattern": "^[1-9][0-9]*$"},
    },
    "WWW-Authenticate": {
        "description": "The scheme of the credentials that are needed.",
        "required": True,
        "schema": {"type": "string", "const": "Bearer"},
    },
}
READ_ID: Json = {
    "type": "string",
    "minLength": 1,
    "maxLength": 256,
    "pattern": f"^{names.RECORD_ID_PATTERN}$",
}
JOB_ID: Json = {
    "type": "string",
    "pattern": f"^{ID_PATTERN}$",
    "description": "As a 202 gave it; anything else is 404.",
}
DOCUMENT_ID: Json = {
    "type": "string",
    "pattern": "^doc_[a-z2-7]+$",
    "description": "As an answer gave it; anything else is 404.",
}
TOOL_NAME: Json = {
    "type": "string",
    "pattern": "^[a-z]+_?[a-z]+$",
    "description": "As `GET /tools` names it; anything else is 404.",
}
EMPTY: Json = {
    "required": False,
    "content": {"application/json": {"schema": {"type": "object", "additionalProperties": False}}},
}
"""The body of a route that needs none: an object without members is one too."""
_SENT_WITH: Mapping[int, Sequence[str]] = {
    401: ("WWW-Authenticate",),
    409: ("Retry-After",),
    429: ("Retry-After",),
    502: ("Retry-After",),
    503: ("Retry-After",),
    504: ("Retry-After",),
}


def path_parameter(name: str, method: str, resource: str) -> Json:
    """The schema of a parameter of the path. Ids of the service's own cannot be written."""
    if name == "ns":
        return NAMESPACE
    if name == "name":
        return TOOL_NAME
    if resource.startswith("/jobs/"):
        return JOB_ID
    if "/documents/" in resource:
        return DOCUMENT_ID
    return READ_ID if method in READING else RECORD_ID


def request_headers(method: str, declared: Declared) -> list[Json]:
    """The headers that a route takes, as parameters."""
    reading = method in READING
    return [
        {
            "name": name,
            "in": "header",
            "required": False,
            **(KNOWN_TAGS if reading and name == "If-None-Match" else REQUEST_HEADERS[name]),
        }
        for name in declared.takes
    ]


def problems(method: str, resource: str, declared: Declared) -> dict[int, list[Any]]:
    """The models of all problems that a route can answer, by status."""
    found: dict[int, list[Any]] = {}
    for slug in dict.fromkeys(_slugs(method, resource, declared)):
        found.setdefault(_constant(PROBLEMS[slug], "status"), []).append(PROBLEMS[slug])
    return {status: found[status] for status in sorted(found)}


def _slugs(method: str, resource: str, declared: Declared) -> Iterator[str]:
    """What the gateway can say by itself, what follows from access, and what the route names."""
    yield from ("malformed-request", "forbidden", "throttled", "internal")
    yield from ("unavailable", "deadline-exceeded")
    if declared.access.scope is not None:
        yield "unauthorized"
    if "{" in resource:
        yield "not-found"
    if declared.access.body or declared.access.empty:
        yield from ("too-large", "unsupported-media-type")
    if declared.takes or declared.access.empty or inspect.signature(declared.route).parameters:
        yield "invalid-request"
    if method not in READING and {"If-Match", "If-None-Match"} & set(declared.takes):
        yield "precondition"
    if "Idempotency-Key" in declared.takes:
        yield "idempotency-mismatch"
    yield from declared.problems


def problem_name(models: Sequence[Any]) -> str:
    """The name of the response that these problems share."""
    return "Or".join(model.__name__ for model in models)


def problem_response(status: int, models: Sequence[Any]) -> Json:
    """The response of a status that is one of these problems."""
    refs = [{"$ref": f"#/components/schemas/{model.__name__}"} for model in models]
    schema = refs[0] if len(refs) == 1 else {"oneOf": refs}
    return {
        "description": _phrase(status),
        "headers": sent("X-Request-Id", *_SENT_WITH.get(status, ())),
        "content": {PROBLEM_TYPE: {"schema": schema}},
    }


def success_response(status: int, model: Any, declared: Declared) -> Json:
    """The response of a success, in the form that Powertools takes."""
    names_sent = [
        name for name in declared.sends if name != "Location" or status == HTTPStatus.CREATED
    ]
    content = {} if model is None else {"application/json": {"model": model}}
    headers = sent("X-Request-Id", *names_sent)
    return {"description": _phrase(status), "headers": headers, "content": content}


def sent(*header_names: str) -> Json:
    """References to these response headers."""
    return {name: {"$ref": f"#/components/headers/{name}"} for name in header_names}


def tag(resource: str) -> str:
    """What a route is about: what stands below the namespace, or the route's own first name."""
    parts = [part for part in resource.split("/") if part and not part.startswith("{")]
    if parts[0] == "namespaces":
        return parts[1] if len(parts) > 1 else parts[0]
    return "service" if parts[0] in {"health", "ready", "openapi.json"} else parts[0]


def security(declared: Declared) -> list[Json]:
    """The credentials that a route asks for."""
    return [] if declared.access.scope is None else [{"key": []}]


def _constant(model: Any, member: str) -> int:
    (value,) = get_args(get_type_hints(model)[member])
    return int(value)


def _phrase(status: int) -> str:
    return HTTPStatus(status).phrase
