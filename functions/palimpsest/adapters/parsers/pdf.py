"""PDF: its text layer, page by page. What it draws, runs or links to is never looked at."""

import re
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing
from itertools import islice
from typing import Any, Final

import pypdfium2  # type: ignore[import-untyped]
import pypdfium2.raw as pdfium  # type: ignore[import-untyped]

from palimpsest.adapters.parsers.flow import Flow
from palimpsest.adapters.parsers.pdf_lines import PageLine, lines_on, unknown_in
from palimpsest.adapters.parsers.pdf_paragraphs import Sizes, folded, pieces_of
from palimpsest.adapters.parsers.pdf_scans import Scans
from palimpsest.adapters.parsers.reading import Reading
from palimpsest.domain.extraction import Place, Unit, Unreadable, UnreadableReason

_PASSWORDS: Final = frozenset({pdfium.FPDF_ERR_PASSWORD, pdfium.FPDF_ERR_SECURITY})
_SAMPLED_PAGES: Final = 24
_MOST_HELD: Final = 10_000
"""Characters of a page; one of print has some 3,000."""

_MOST_OUTLINE: Final = 5000
_MOST_UNKNOWN: Final = 0.3
_NO_TITLE: Final = re.compile(
    r"untitled|microsoft (?:word|powerpoint|excel)\b"
    r"|.*\.(?:docx?|pptx?|xlsx?|pdf|indd|tex|dvi|qxd)$",
    re.IGNORECASE,
)


def read(reading: Reading) -> str | None:
    """Read it. Raises `Unreadable` where its pages are images only."""
    with closing(_opened(str(reading.source))) as document:
        outline, scans, flow = _outline(document), Scans(), Flow(reading.out)
        held: dict[int, list[PageLine]] = {}
        sizes = Sizes(_sample(document, held))
        characters = unknown = pages = 0
        for number in range(len(document)):
            lines = _lines_of(document, number, scans, held.pop(number, None))
            if lines is None:
                continue
            pages += 1
            characters += sum(len(line.text) for line in lines)
            unknown += sum(unknown_in(line.text) for line in lines)
            place = Place(Unit.PAGE, number + 1, number + 1)
            for piece in pieces_of(lines, sizes, outline[number]):
                flow.add(piece.kind, piece.text, piece.level, place)
        flow.end()
        _check(scans, pages=pages, is_known=unknown <= _MOST_UNKNOWN * characters)
        title = document.get_metadata_value("Title")
    return None if _NO_TITLE.match(title) else title


def _opened(path: str) -> Any:
    try:
        return pypdfium2.PdfDocument(path)
    except pypdfium2.PdfiumError as error:
        if error.err_code in _PASSWORDS:
            raise Unreadable(
                UnreadableReason.ENCRYPTED, "A password is needed to open it."
            ) from error
        raise


def _check(scans: Scans, *, pages: int, is_known: bool) -> None:
    if not pages:
        raise Unreadable(UnreadableReason.CORRUPT, "It has no page that can be read.")
    if not is_known:
        raise Unreadable(
            UnreadableReason.NO_TEXT, "It does not say which characters its glyphs are."
        )
    if scans.have_no_text:
        raise Unreadable(
            UnreadableReason.NO_TEXT, "Its pages are images; recognise their text first."
        )


def _lines_of(
    document: Any,
    number: int,
    scans: Scans | None = None,
    known: list[PageLine] | None = None,
) -> list[PageLine] | None:
    """The lines of a page, unless they are `known`; None where it is damaged, or is not there."""
    try:
        page = document[number]
    except pypdfium2.PdfiumError:
        return None
    with closing(page):
        lines = known
        if lines is None:
            with closing(page.get_textpage()) as text_page:
                lines = list(lines_on(text_page))
        if scans is not None:
            scans.note(page, "\n".join(line.text for line in lines))
        return lines


def _sample(document: Any, held: dict[int, list[PageLine]]) -> Iterator[PageLine]:
    """The lines of pages from everywhere in the document. They are `held`, unless they are many, as
    reading them is most of the work.
    """
    count = len(document)
    for number in range(0, count, max(1, count // _SAMPLED_PAGES)):
        lines = _lines_of(document, number) or []
        if 0 < sum(len(line.text) for line in lines) <= _MOST_HELD:
            held[number] = lines
        yield from lines


def _outline(document: Any) -> dict[int, dict[str, int]]:
    """By page the headings that the outline names, folded, with their levels from 1."""
    found: dict[int, dict[str, int]] = defaultdict(dict)
    for bookmark in islice(document.get_toc(), _MOST_OUTLINE):
        target = bookmark.get_dest()
        page = target.get_index() if target else None
        title = folded(bookmark.get_title())
        if page is not None and title:
            found[page][title] = bookmark.level + 1
    return found
