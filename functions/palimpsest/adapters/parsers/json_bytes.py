r"""A JSON text as the file in UTF-8 that a parser reads, without halves of surrogate pairs.

`"\ud83d"` is half an emoji; the parser would put a question mark in its place.
"""

import re
from collections.abc import Iterator
from typing import Final

_ESCAPE: Final = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    r"|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.?)",
    re.DOTALL,
)
_LONGEST_ESCAPE: Final = 12


class JsonBytes:
    """Of a text in pieces; `removed` counts the halves that were left out."""

    def __init__(self, pieces: Iterator[str]) -> None:
        self._pieces = pieces
        self._held = ""
        self.removed = 0

    def read(self, size: int = -1) -> bytes:
        """The next bytes, as many as a piece of the text has; none at its end, nor for no size."""
        if size == 0:
            return b""
        for piece in self._pieces:
            if whole := self._without_halves(self._held + piece):
                return whole.encode()
        rest, self._held = self._held, ""
        return self._without_halves(rest, is_last=True).encode()

    def _without_halves(self, text: str, *, is_last: bool = False) -> str:
        """The text up to an escape that the next piece may go on with, which is held."""
        kept, place, self._held = [], 0, ""
        if "\\" not in text:
            return text
        for escape in _ESCAPE.finditer(text):
            if escape.start() > len(text) - _LONGEST_ESCAPE and not is_last:
                kept.append(text[place : escape.start()])
                self._held = text[escape.start() :]
                return "".join(kept)
            if escape[1]:
                kept.append(text[place : escape.start()])
                place = escape.end()
                self.removed += 1
        kept.append(text[place:])
        return "".join(kept)
