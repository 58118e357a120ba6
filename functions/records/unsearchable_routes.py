"""The ledger: what cannot be found on every leg, and trying it again."""

from http import HTTPStatus

from aws_lambda_powertools.event_handler import Response

from palimpsest.api.paging import CursorParameter, Limit, cursor_of, limit_of, place_of
from palimpsest.api.request_guards import idempotency_key, refuse_guards
from palimpsest.api.resolver import Access, answer
from palimpsest.domain.instants import to_text
from palimpsest.domain.keys import Scope
from records import answers
from records.app import NAMESPACE, api, cursors, services


@api.route(
    "GET",
    f"{NAMESPACE}/unsearchable",
    Access(Scope.READ),
    answers={200: answers.UnsearchablePage},
    problems=("cursor-mismatch",),
)
def list_unsearchable(
    ns: str, limit: Limit = None, cursor: CursorParameter = None
) -> Response[str]:
    """List what cannot be found on every leg, and why."""
    tenant, namespace = api.caller.grant.tenant, api.caller.path["ns"]
    bound = (tenant, "unsearchable", namespace)
    generation, after = place_of(cursors, cursor, bound) or ("", "")
    page = services().unsearchable.page(
        tenant, namespace, limit=limit_of(limit), after=after, generation=generation
    )
    following = cursor_of(cursors, page.following, bound)
    told = [("document", entry) for entry in page.documents]
    told += [("record", entry) for entry in page.records]
    items = [
        {
            "type": kind,
            "id": entry.id,
            "reason": entry.reason.value,
            "detail": entry.detail or None,
            "since": to_text(entry.since),
        }
        for kind, entry in told
    ]
    return answer(HTTPStatus.OK, {"items": items, "next_cursor": following})


@api.route(
    "POST",
    f"{NAMESPACE}/unsearchable/retry",
    Access(Scope.WRITE),
    answers={202: answers.RetryAccepted},
    takes=("Idempotency-Key",),
)
def retry_unsearchable(ns: str) -> Response[str]:
    """Have everything in the ledger tried again."""
    refuse_guards(api)
    accepted = services().unsearchable.retry(
        api.caller.grant.tenant, api.caller.path["ns"], key=idempotency_key(api)
    )
    return answer(HTTPStatus.ACCEPTED, {"accepted": accepted})
