"""PowerPoint presentations: slide by slide, hidden ones too, each with its notes."""

from collections.abc import Mapping
from typing import Final

from palimpsest.adapters.parsers.cells import Cells, Piece
from palimpsest.adapters.parsers.flow import Flow
from palimpsest.adapters.parsers.ooxml import Relationship, main_part, relationships, title_of
from palimpsest.adapters.parsers.pptx_text import SlideText
from palimpsest.adapters.parsers.reading import Reading
from palimpsest.adapters.parsers.xml_events import feed
from palimpsest.adapters.parsers.zip_archive import Archive
from palimpsest.domain.extraction import BlockKind, Place, Unit

_NOTES: Final = "Notes: "


def read(reading: Reading) -> str | None:
    """Read it. Its title is that of its properties, else that of its first slide."""
    flow, titles = Flow(reading.out), list[str]()
    with Archive(reading.source, reading.limits) as archive:
        part = main_part(archive, "ppt/presentation.xml")
        for number, slide in enumerate(_slides(archive, part), 1):
            place = Place(Unit.SLIDE, number, number)
            for piece in _pieces(archive, slide):
                if piece.kind is BlockKind.HEADING:
                    titles.append(piece.text)
                flow.add(piece.kind, piece.text, piece.level, place)
        flow.end()
        return title_of(archive) or next(iter(titles), None)


def _slides(archive: Archive, part: str) -> list[str]:
    """The names of the slides in the order of the presentation."""
    related, order = relationships(archive, part), _Order()
    with archive.open(part) as file:
        feed(file, order)
    found = [related[one].target for one in order.ids if one in related]
    return [one for one in found if one in archive]


def _pieces(archive: Archive, slide: str) -> list[Piece]:
    """What a slide says: its title first, then the rest, drawn lists, and the notes."""
    related = list(relationships(archive, slide).values())
    pieces = _pieces_of_part(archive, slide)
    for one in related:
        if one.kind == "diagramData" and one.target in archive:
            pieces += _pieces_of_part(archive, one.target)
    notes = [piece for one in related for piece in _notes(archive, one)]
    if notes:
        notes[0] = Piece(notes[0].kind, _NOTES + notes[0].text.strip(), notes[0].level)
    return sorted(pieces, key=lambda piece: piece.kind is not BlockKind.HEADING) + notes


def _notes(archive: Archive, one: Relationship) -> list[Piece]:
    if one.kind != "notesSlide" or one.target not in archive:
        return []
    return [
        Piece(BlockKind.PARAGRAPH, piece.text)
        for piece in _pieces_of_part(archive, one.target)
        if piece.text.strip()
    ]


def _pieces_of_part(archive: Archive, part: str) -> list[Piece]:
    pieces = list[Piece]()
    cells = Cells(pieces.append)
    with archive.open(part) as file:
        feed(file, SlideText(cells))
    cells.end()
    return pieces


class _Order:
    """The relationships of the list of slides."""

    def __init__(self) -> None:
        self.ids: list[str] = []

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "p:sldId":
            self.ids.append(attributes.get("r:id", ""))

    def end(self, name: str) -> None:
        pass

    def text(self, data: str) -> None:
        pass
