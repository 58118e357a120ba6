"""Lists too large for a request: a place in the bucket, and what may be read from there."""

import uuid
from http import HTTPStatus
from urllib.parse import quote

from aws_lambda_powertools.event_handler import Response

from palimpsest.api.resolver import Access, answer
from palimpsest.api.upload_json import upload_json
from palimpsest.domain.errors import InvalidRequest
from palimpsest.domain.keys import Scope
from reconcile import answers
from reconcile.app import api, services

UPLOAD_S = 3_600
MOST_KEY_BYTES = 1_024
"""Of an object in S3."""


@api.route(
    "POST",
    "/lists",
    Access(Scope.ADMIN, in_namespaces=False, empty=True),
    answers={201: answers.ListPlace},
)
def post_list() -> Response[str]:
    """A place for a list as JSON Lines, kept for 24 hours."""
    objects, now = services().objects, services().clock.now()
    key = f"{lists_of(api.caller.grant.tenant)}{uuid.uuid4()}.jsonl"
    upload = objects.upload_to(key, seconds=UPLOAD_S, now=now)
    return answer(
        HTTPStatus.CREATED,
        {
            "uri": f"s3://{objects.bucket}/{key}",
            "upload": upload_json(upload),
        },
    )


def lists_of(tenant: str) -> str:
    """Where a tenant's lists lie."""
    return f"lists/{quote(tenant, safe='')}/"


def key_of(uri: str, tenant: str) -> str:
    """The key of a tenant's own list. Raises `InvalidRequest` for anything else."""
    place = f"s3://{services().objects.bucket}/"
    key = uri.removeprefix(place)
    own = uri.startswith(place) and key.startswith(lists_of(tenant))
    steps = key.split("/")
    no_key = len(key.encode()) > MOST_KEY_BYTES or any(character < " " for character in key)
    if not own or no_key or not steps[-1] or {".", "..", ""} & set(steps):
        msg = f"a list lies at {place}{lists_of(tenant)}…"
        raise InvalidRequest.one("body", "active_uri", msg=msg, kind="active_uri")
    return key
