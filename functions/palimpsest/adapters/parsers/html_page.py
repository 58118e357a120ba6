"""Web pages: their text without the furniture around it. Nothing in them is run or fetched."""

import re
from typing import Final, NamedTuple

from selectolax.lexbor import LexborHTMLParser, SelectolaxError

from palimpsest.adapters.parsers.cells import Cells, Piece
from palimpsest.adapters.parsers.flow import Flow
from palimpsest.adapters.parsers.html_nesting import is_too_deep, text_without_tags
from palimpsest.adapters.parsers.html_walk import HtmlWalk
from palimpsest.adapters.parsers.reading import Reading
from palimpsest.adapters.parsers.text_lines import text_of
from palimpsest.domain.extraction import BlockKind

_HEAD: Final = 4096
_DECLARED: Final = re.compile(
    rb"""<meta[^>]{0,300}?charset\s*=\s*["']?\s*([\w.:-]+)|<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]+)""",
    re.IGNORECASE,
)


class Page(NamedTuple):
    """A page that has been read."""

    title: str | None
    pieces: list[Piece]


def read(reading: Reading) -> str | None:
    """Read it. Its title is what it says of itself, else its first heading of the first level."""
    page = text_of(data := reading.source.read_bytes(), declared_in(data))
    reading.out.removed += page.count("\0")
    title, pieces = page_of(page.replace("\0", ""))
    flow = Flow(reading.out)
    for piece in pieces:
        flow.add(piece.kind, piece.text, piece.level)
    flow.end()
    return title


def declared_in(data: bytes) -> str | None:
    """The encoding that a page names in its head."""
    found = _DECLARED.search(data[:_HEAD])
    return (found[1] or found[2]).decode("ascii", "replace") if found else None


def page_of(page: str) -> Page:
    """The title and the pieces of a page; where there is nothing but furniture, those of it."""
    if is_too_deep(page):
        return Page(None, [Piece(BlockKind.PARAGRAPH, text) for text in text_without_tags(page)])
    try:
        tree = LexborHTMLParser(page)
    except SelectolaxError as error:  # every text is a page; this is the lack of memory
        raise MemoryError from error
    root = tree.root
    if root is None:
        return Page(None, [])
    pieces: list[Piece] = []
    HtmlWalk(Cells(pieces.append)).go(root)
    if not pieces:
        HtmlWalk(Cells(pieces.append), everything=True).go(root)
    named = tree.css_first("title")
    title = named.text().strip() if named is not None else ""
    tops = (one.text for one in pieces if one.kind is BlockKind.HEADING and one.level == 1)
    return Page(title or next(tops, None), pieces)
