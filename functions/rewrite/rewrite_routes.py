"""Rewriting: one question, put so that it stands alone, and in other ways."""

from copy import deepcopy
from http import HTTPStatus
from typing import Annotated, Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Body

from palimpsest.api.fields import Warnings, cleaned
from palimpsest.api.resolver import Access, answer
from palimpsest.domain.keys import Scope
from palimpsest.domain.routing import signals
from rewrite import answers
from rewrite.app import api, services
from rewrite.schemas import RewriteBody, parts_of

PATIENCE_S = 12.0


def _clean(body: dict[str, Any], warnings: Warnings) -> dict[str, Any]:
    mended = deepcopy(body)
    for holder, member, field in parts_of(mended):
        if member in holder:
            holder[member] = cleaned(holder[member], field, warnings)
    return mended


@api.route(
    "POST",
    "/rewrite",
    Access(Scope.READ, body=True, clean=_clean, in_namespaces=False),
    answers={200: answers.Rewriting},
)
def post_rewrite(body: Annotated[RewriteBody, Body()]) -> Response[str]:
    """Rewrite a question by the language model; without one, or where it fails, the original."""
    found = services().rewrites.rewrite_within(
        api.caller.grant.tenant,
        body.query,
        history=body.turns,
        most=body.max_variations,
        timeout=PATIENCE_S,
    )
    told = signals(body.query)
    return answer(
        HTTPStatus.OK,
        {
            "query": body.query,
            "standalone": found.rewriting.standalone,
            "variations": list(found.rewriting.variations),
            "deep": {"would_run": bool(told) and services().rewrites.available, "signals": told},
            "status": found.status.value,
            "reason": found.reason,
            "usage": {"llm_calls": found.llm_calls, "llm_tokens": found.llm_tokens},
            "warnings": api.caller.warnings,
        },
    )
