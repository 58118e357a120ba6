"""The lines of a page of a PDF, with what tells headings and paragraphs apart: where and how large
they are.
"""

import ctypes
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import pypdfium2.raw as pdfium  # type: ignore[import-untyped]

_LINE_END: Final = re.compile("\r\n|[\r\n\x02\ufffe]")
"""PDFium has U+FFFE (older ones U+0002) for a hyphen with which a word goes on in the next line."""

_HYPHENS: Final = frozenset("\x02\ufffe")
_UNKNOWN: Final = re.compile("[\ufffd\uffff\ue000-\uf8ff\x01\x03-\x08\x0e-\x1f]")
"""What stands for a glyph of which the file does not say what character it is."""


@dataclass(frozen=True, slots=True)
class PageLine:
    """A line. In points of the page: `y` its lower edge, from the bottom upwards, `x` its left one,
    `size` its height.
    """

    text: str
    x: float
    y: float
    size: float


def lines_on(text_page: Any) -> Iterator[PageLine]:
    """The lines of a text page of PDFium, in its order, which is that in which they were drawn."""
    text = _text_on(text_page)
    start = 0
    for end in [*_LINE_END.finditer(text), None]:
        raw = text[start : end.start() if end else len(text)]
        if bare := raw.strip():
            at = start + len(raw) - len(raw.lstrip())
            hyphen = "-" if end and end[0] in _HYPHENS else ""
            yield PageLine(bare + hyphen, *_box(text_page, at))
        start = end.end() if end else 0


def unknown_in(text: str) -> int:
    """How many of its characters are glyphs without a meaning."""
    return len(_UNKNOWN.findall(text))


def _text_on(text_page: Any) -> str:
    """The characters of the page, so that places in the text are PDFium's own.

    Its text is UTF-16 cut off at the number of characters, so a page with characters beyond 16 bits
    (or of which some are hidden) is read one by one.
    """
    count = pdfium.FPDFText_CountChars(text_page)
    if count <= 0:
        return ""
    buffer = (ctypes.c_ushort * (2 * count + 2))()
    written = pdfium.FPDFText_GetText(text_page, 0, count, buffer)
    text = bytes(buffer)[: 2 * max(0, written - 1)].decode("utf-16-le", "surrogatepass")
    if len(text) == count and not re.search("[\ud800-\udfff]", text):
        return text
    codes = (pdfium.FPDFText_GetUnicode(text_page, place) for place in range(count))
    return "".join(chr(code) if 0 < code <= 0x10FFFF else "\ufffd" for code in codes)  # noqa: PLR2004


def _box(text_page: Any, place: int) -> tuple[float, float, float]:
    """Left and lower edge and height of a character, as high as its font."""
    box = pdfium.FS_RECTF()
    if not pdfium.FPDFText_GetLooseCharBox(text_page, place, box):
        return 0.0, 0.0, 0.0
    return box.left, box.bottom, abs(box.top - box.bottom)
