"""Cursors: a place in a walk, or the rest of a list, sealed and bound to what was asked for.

What a cursor is bound to (tenant, route, every parameter but the limit) is not in it but under its
tag, so a cursor of another request does not open. The place itself is not readable: it may name
what its holder may not see. Tag and key stream are made from the place in the way of SIV (RFC 5297)
with HMAC-SHA256 and SHAKE256, so no nonce is needed.
"""

import base64
import hashlib
import hmac
import json
from collections.abc import Callable, Sequence
from typing import Any

from palimpsest.domain.errors import CursorMismatch

_TAG_BYTES = 16
_MAX_CHARACTERS = 2_000


class Cursors:
    """Seals places and opens them again. `key` gives the signing key when it is first needed."""

    def __init__(self, key: Callable[[], bytes]) -> None:
        self._key = key

    def seal(self, place: Sequence[int | str], *bound: str | int | None) -> str:
        """The cursor of a place, for the request that these values tell from others."""
        return self.seal_bytes(json.dumps(list(place), separators=(",", ":")).encode(), *bound)

    def seal_bytes(self, body: bytes, *bound: str | int | None) -> str:
        """The cursor that holds these bytes."""
        tag = self._tag(body, bound)
        return _spelt(tag + self._veiled(body, tag))

    def open(self, cursor: str, *bound: str | int | None) -> list[Any]:
        """The place of a cursor that was sealed with the same values. Raises `CursorMismatch`."""
        place: list[Any] = json.loads(self.open_bytes(cursor, *bound))
        return place

    def open_bytes(
        self, cursor: str, *bound: str | int | None, most: int = _MAX_CHARACTERS
    ) -> bytes:
        """The bytes of a cursor that was sealed with the same values; of a longer one than `most`
        characters, as of any other, `CursorMismatch`.
        """
        try:
            sealed = _read(cursor, most)
        except ValueError as error:  # as binascii.Error is
            raise CursorMismatch("this is not a cursor") from error
        tag = sealed[:_TAG_BYTES]
        body = self._veiled(sealed[_TAG_BYTES:], tag)
        if not hmac.compare_digest(tag, self._tag(body, bound)):
            raise CursorMismatch("this cursor was not given out for this request")
        return body

    def _veiled(self, text: bytes, tag: bytes) -> bytes:
        """The text under the stream of its tag; veiled twice it is itself again."""
        secret = hmac.digest(self._key(), b"stream", hashlib.sha256)
        stream = hashlib.shake_256(secret + tag).digest(len(text))
        mixed = int.from_bytes(text, "big") ^ int.from_bytes(stream, "big")
        return mixed.to_bytes(len(text), "big")

    def _tag(self, body: bytes, bound: Sequence[str | int | None]) -> bytes:
        said = json.dumps(list(bound), separators=(",", ":")).encode()
        message = len(said).to_bytes(4, "big") + said + body
        return hmac.digest(self._key(), message, hashlib.sha256)[:_TAG_BYTES]


def _spelt(sealed: bytes) -> str:
    return base64.urlsafe_b64encode(sealed).decode().rstrip("=")


def _read(cursor: str, most: int) -> bytes:
    """The bytes that are spelt exactly so: their last character has bits that say nothing. Raises
    `ValueError`.
    """
    if len(cursor) > most:
        raise ValueError("too long")
    sealed = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
    if _spelt(sealed) != cursor:
        raise ValueError("spelt in another way")
    return sealed
