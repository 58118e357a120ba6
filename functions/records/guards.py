"""The headers that guard the write of one record."""

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
        loc, msg = ("header", "if-match"), "If-Match and If-None-Match exclude each other"
        raise InvalidRequest.one(*loc, msg=msg, kind="two_guards")
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
