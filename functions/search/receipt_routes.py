"""Receipts of forgetting: this function has the index at hand, which the records function has
not.
"""

from http import HTTPStatus

from aws_lambda_powertools.event_handler import Response

from palimpsest.api.resolver import Access, answer
from palimpsest.domain.keys import Scope
from palimpsest.domain.names import checked_record_id
from search import answers
from search.app import api, services

OUTSIDE = (
    {
        "what": "point_in_time_backups",
        "detail": "backups of the table keep what it held, for up to 35 days after the erasure",
    },
    {
        "what": "engine_segments",
        "detail": "a search engine that merges its segments later may keep bytes of deleted"
        " entries, which no search shows, until it does; the embedded index keeps none",
    },
)


@api.route(
    "GET",
    "/namespaces/{ns}/records/{id}/receipt",
    Access(Scope.READ),
    answers={200: answers.Receipt},
)
def get_receipt(ns: str, id: str) -> Response[str]:
    """What is still found, now and anywhere, of a record that was forgotten."""
    path = api.caller.path
    receipt = services().receipts.receipt(
        api.caller.grant.tenant, path["ns"], checked_record_id(path["id"], "path", "id")
    )
    return answer(
        HTTPStatus.OK,
        {
            "id": receipt.id,
            "revision": receipt.revision,
            "found": receipt.found,
            "erased": receipt.erased,
            "outside": OUTSIDE,
        },
    )
