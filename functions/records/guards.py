"""The headers that guard a write."""

import re

from palimpsest.domain.commit_planning import EXISTS, Guard
from palimpsest.domain.errors import InvalidRequest
from records.app import api

_STRONG_TAG = re.compile(r'"([1-9]\d{0,15})"')


def guard() -> Guard:
    """The guard of `If-Match` or `If-None-Match`. Raises `InvalidRequest` for nonsense or
    for both.
    """
    match, none_match = api.header("if-match"), api.header("if-none-match")
    if match is not None and none_match is not None:
        loc = ("header", "if-match")
        raise InvalidRequest.one(*loc, msg="If-Match and If-None-Match exclude each other")
    if none_match is not None:
        if none_match.strip() != "*":
            raise InvalidRequest.one("header", "if-none-match", msg='only "*" is known here')
        return 0
    if match is None:
        return None
    if match.strip() == "*":
        return EXISTS
    tag = _STRONG_TAG.fullmatch(match.strip())
    if tag is None:
        msg = "a strong tag is a revision in quotes, as ETag gives it"
        raise InvalidRequest.one("header", "if-match", msg=msg)
    return int(tag[1])


def refuse_later() -> None:
    """What this version does not keep yet is refused by name (docs/decisions/008)."""
    if api.header("idempotency-key") is not None:
        raise InvalidRequest.one("header", "idempotency-key", msg="this version keeps no keys")
