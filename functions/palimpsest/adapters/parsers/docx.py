"""Word documents: the text in its order, notes at its end, nothing that stands on every page."""

from collections.abc import Iterator
from typing import Final

from palimpsest.adapters.parsers.cells import Cells, Piece
from palimpsest.adapters.parsers.docx_styles import Styles
from palimpsest.adapters.parsers.docx_text import DocumentText, NoteMarks
from palimpsest.adapters.parsers.flow import Flow
from palimpsest.adapters.parsers.ooxml import Relationship, main_part, relationships, title_of
from palimpsest.adapters.parsers.reading import Reading
from palimpsest.adapters.parsers.xml_events import feed
from palimpsest.adapters.parsers.zip_archive import Archive
from palimpsest.domain.extraction import BlockKind

_NOTES: Final = ("footnotes", "endnotes")


def read(reading: Reading) -> str | None:
    """Read it. Its title is that of its properties, else its first heading of the first level."""
    flow, headings = Flow(reading.out), list[str]()
    marks = NoteMarks()

    def hand_on(piece: Piece) -> None:
        if piece.kind is BlockKind.HEADING and piece.level == 1:
            headings.append(piece.text)
        flow.add(piece.kind, piece.text, piece.level)

    with Archive(reading.source, reading.limits) as archive:
        part = main_part(archive, "word/document.xml")
        related = list(relationships(archive, part).values())
        styles = Styles(archive, next(_targets(related, "styles"), None))
        cells = Cells(hand_on)
        with archive.open(part) as file:
            feed(file, DocumentText(styles, cells, marks))
        cells.end()
        for kind in _NOTES:
            for target in _targets(related, kind):
                if target in archive:
                    cells = Cells(hand_on)
                    with archive.open(target) as file:
                        feed(file, DocumentText(styles, cells, marks.of(kind)))
                    cells.end()
        flow.end()
        return title_of(archive) or next(iter(headings), None)


def _targets(related: list[Relationship], kind: str) -> Iterator[str]:
    return (one.target for one in related if one.kind == kind)
