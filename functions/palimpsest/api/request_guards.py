"""The headers that guard a write as a whole: what makes it happen once, and what has no meaning."""

import hashlib
import json
import re

from palimpsest.api.resolver import HttpApi
from palimpsest.domain.errors import InvalidRequest
from palimpsest.domain.idempotency import MAX_KEY_CHARACTERS, IdempotencyKey

_KEY = re.compile(f"[ -~]{{1,{MAX_KEY_CHARACTERS}}}")


def refuse_guards(api: HttpApi) -> None:
    """Raises `InvalidRequest` where a guard is sent that means nothing here: a client that believes
    itself guarded must not write unguarded.
    """
    for name in ("if-match", "if-none-match"):
        if api.header(name) is not None:
            msg = "this route has no guard of this kind"
            raise InvalidRequest.one("header", name, msg=msg, kind="no_guard")


def idempotency_key(api: HttpApi) -> IdempotencyKey | None:
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
