"""Problem documents (RFC 9457): one for each class of the error tree, by method
resolution order.
"""

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from aws_lambda_powertools.event_handler import Response

from palimpsest.domain import errors

PROBLEM_TYPE = "application/problem+json"
URN = "urn:palimpsest:problem:"

Members = dict[str, Any]
ERRORS_TOLD = 100
DETAIL_TOLD = 10_000
"""Characters: an answer stays far below what a function may give."""


def _none(_: Any) -> Members:
    return {}


def _conflict(error: errors.RevisionConflict) -> Members:
    members: Members = {"current_revision": error.current_revision}
    if not error.precondition:
        members["operations"] = [asdict(operation) for operation in error.operations]
    return members


def _invalid(error: errors.InvalidRequest) -> Members:
    told = error.errors[:ERRORS_TOLD]
    return {"errors": [{"loc": list(e.loc), "msg": e.msg, "type": e.type} for e in told]}


_TABLE: Mapping[type[BaseException], tuple[str, int, str, Callable[[Any], Members]]] = {
    errors.InvalidRequest: ("invalid-request", 422, "The request breaks a rule", _invalid),
    errors.CursorMismatch: ("cursor-mismatch", 422, "Not a cursor of this request", _none),
    errors.MalformedRequest: ("malformed-request", 400, "The body cannot be read", _none),
    errors.UnsupportedMediaType: ("unsupported-media-type", 415, "Not application/json", _none),
    errors.TooLarge: ("too-large", 413, "Too large", lambda e: {"limit": e.limit}),
    errors.Unauthorized: ("unauthorized", 401, "Credentials are needed", _none),
    errors.Forbidden: ("forbidden", 403, "Not allowed", _none),
    errors.NotFound: ("not-found", 404, "Not found", _none),
    errors.MethodNotAllowed: ("method-not-allowed", 405, "No such method here", _none),
    errors.RevisionConflict: ("revision-conflict", 409, "The revision has changed", _conflict),
    errors.IdempotencyMismatch: (
        "idempotency-mismatch",
        409,
        "The key was used for another request",
        _none,
    ),
    errors.InProgress: ("in-progress", 409, "The first request is still at work", _none),
    errors.NotReady: ("not-ready", 409, "The document has no text", _none),
    errors.Throttled: ("throttled", 429, "Too many requests", _none),
    errors.ProviderError: (
        "provider-error",
        502,
        "A provider failed",
        lambda e: {"stage": e.stage},
    ),
    errors.DeadlineExceeded: (
        "deadline-exceeded",
        504,
        "Out of time",
        lambda e: {"stage": e.stage},
    ),
    errors.Unavailable: ("unavailable", 503, "Unavailable", lambda e: {"stage": e.stage}),
    BaseException: ("internal", 500, "Internal error", _none),
}


def problem(error: BaseException, *, request_id: str) -> Response[str]:
    """The problem document of an error. Of an unexpected one nothing is told but the request id."""
    known = next(cls for cls in type(error).__mro__ if cls in _TABLE)
    slug, status, title, members = _TABLE[known]
    if isinstance(error, errors.RevisionConflict) and error.precondition:
        status = 412
    detail = str(error) if known is not BaseException else "something went wrong on our side"
    detail = detail[:DETAIL_TOLD]
    body = {
        "type": URN + slug,
        "title": title,
        "status": status,
        "detail": detail or title,
        "instance": request_id,
        **members(error),
    }
    headers = {"X-Request-Id": request_id}
    retry_after = getattr(error, "retry_after", None)
    if retry_after is not None:
        headers["Retry-After"] = str(max(1, math.ceil(retry_after)))
    if status == 401:  # noqa: PLR2004  # RFC 9110: a 401 names its scheme
        headers["WWW-Authenticate"] = "Bearer"
    return Response(status, content_type=PROBLEM_TYPE, body=json.dumps(body), headers=headers)
