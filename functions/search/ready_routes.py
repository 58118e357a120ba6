"""Readiness: whether every dependency answers."""

from http import HTTPStatus

from aws_lambda_powertools.event_handler import Response

from palimpsest.api.resolver import Access, answer
from palimpsest.domain.keys import Scope
from search import answers
from search.app import api, services


@api.route("GET", "/ready", Access(Scope.READ), answers={200: answers.Ready})
def get_ready() -> Response[str]:
    """Each dependency and its latency; 503 where nothing can be answered without it."""
    found = services().readiness.check()
    degraded = any(answered.status != "ok" for answered in found.values())
    dependencies = {
        name: {
            "status": answered.status,
            "ms": round(answered.ms, 1),
            **({"reason": answered.reason} if answered.reason else {}),
        }
        for name, answered in found.items()
    }
    status = "degraded" if degraded else "ok"
    return answer(HTTPStatus.OK, {"status": status, "dependencies": dependencies})
