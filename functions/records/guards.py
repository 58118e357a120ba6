"""The headers that guard a write, and the one that makes it happen once."""

import hashlib
import json
import re

from palimpsest.domain.commit_planning import EXISTS, Guard
from palimpsest.domain.errors import InvalidRequest
from palimpsest.domain.idempotency import MAX_KEY_CHARACTERS, IdempotencyKey
from records.app import api

_KEY = re.compile(f"[ -~]{{1,{MAX_KEY_CHARACTERS}}}")
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


def refuse_guards() -> None:
    """Raises `InvalidRequest` where a guard is sent that means nothing here: a client that believes
    itself guarded must not write unguarded.
    """
    for name in ("if-match", "if-none-match"):
        if api.header(name) is not None:
            msg = "this route has no guard of this kind"
            raise InvalidRequest.one("header", name, msg=msg, kind="no_guard")


def idempotency_key() -> IdempotencyKey | None:
    """The client's key for this request, which is told from others by its method, path, guards and
    parsed body; None if it has none. Raises `InvalidRequest` for a key that is no key.
    """
    key = api.header("idempotency-key")
    if key is None:
        return None
    if not _KEY.fullmatch(key):
        msg = f"a key is 1 to {MAX_KEY_CHARACTERS} printable ASCII characters"
        raise InvalidRequest.one("header", "idempotency-key", msg=msg)
    event, caller = api.app.current_event.raw_event, api.caller
    asked = [
        event["httpMethod"],
        event["resource"],
        dict(caller.path),
        api.header("if-match"),
        api.header("if-none-match"),
        caller.body,
    ]
    request = json.dumps(asked, sort_keys=True, separators=(",", ":"))
    return IdempotencyKey(_digest(key), _digest(request))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
