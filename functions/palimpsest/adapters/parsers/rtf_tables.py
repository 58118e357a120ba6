"""The tables at the head of an RTF document: its fonts with their encodings, and its styles."""

import re
from typing import Final

from palimpsest.adapters.parsers.rtf_words import CODEC_OF_CHARSET, CODEC_OF_PAGE

_HEADING: Final = re.compile(r"heading (\d)$", re.IGNORECASE)
_DEFAULT_CHARSET: Final = 1


class Tables:
    """Takes what stands in the tables, and answers for the text after them."""

    def __init__(self) -> None:
        self.codec = "cp1252"
        """That of the document, where a font has none of its own."""
        self._fonts: dict[int | None, str] = {}
        self._font: int | None = None
        self._levels: dict[int, int] = {}
        self._style = 0
        self._name = ""

    def set_codec(self, page: int | None) -> None:
        """The code page of the document."""
        self.codec = CODEC_OF_PAGE.get(page or 0, "cp1252")

    def codec_of_font(self, font: int | None) -> str:
        """The encoding of text in a font."""
        return self._fonts.get(font, self.codec)

    def heading_level(self, style: int) -> int:
        """The level of a heading in a style; 0 where it is none."""
        return self._levels.get(style, 0)

    def word(self, table: str, word: str, number: int | None) -> None:
        """A control word inside a table."""
        if table == "stylesheet":
            if word in {"s", "cs", "ts", "ds"}:
                self._style = number or 0 if word == "s" else 0
        elif word == "f":
            self._font = number
        elif word == "fcharset" and number is not None and number != _DEFAULT_CHARSET:
            self._fonts[self._font] = CODEC_OF_CHARSET.get(number, self.codec)
        elif word == "cpg" and number in CODEC_OF_PAGE:
            self._fonts[self._font] = CODEC_OF_PAGE[number]

    def text(self, table: str, text: str) -> None:
        """Text inside a table: names, each ended by a semicolon."""
        if table != "stylesheet":
            return
        self._name += text
        if ";" in text:
            name = self._name.partition(";")[0].strip()
            if self._style and (found := _HEADING.match(name)):
                self._levels[self._style] = int(found[1])
            self._name, self._style = "", 0
