"""Excel workbooks: sheet by sheet, row by row, with what was calculated when it was saved. Cells
are read as they come, so that only those that are filled cost anything.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

from palimpsest.adapters.parsers.flow import Flow
from palimpsest.adapters.parsers.header_rows import HeaderRows
from palimpsest.adapters.parsers.ooxml import main_part, relationships, title_of
from palimpsest.adapters.parsers.reading import Reading
from palimpsest.adapters.parsers.xlsx_cells import SheetRows
from palimpsest.adapters.parsers.xlsx_values import SharedStrings, ValueTexts
from palimpsest.adapters.parsers.xml_events import feed
from palimpsest.adapters.parsers.zip_archive import Archive
from palimpsest.domain.clean import without_broken
from palimpsest.domain.extraction import BlockKind, Place, Unit

_LONGEST_NAME: Final = 100


def read(reading: Reading) -> str | None:
    """Read it. Its title is that of its properties."""
    flow = Flow(reading.out)
    with Archive(reading.source, reading.limits) as archive:
        part = main_part(archive, "xl/workbook.xml")
        related = relationships(archive, part)
        book = _Book()
        with archive.open(part) as file:
            feed(file, book)
        by_kind = {one.kind: one.target for one in related.values()}
        strings = SharedStrings(archive, by_kind.get("sharedStrings"))
        values = ValueTexts(archive, by_kind.get("styles"), from_1904=book.from_1904)
        for sheet in book.sheets:
            target = related[sheet.relationship].target if sheet.relationship in related else ""
            if target in archive and related[sheet.relationship].kind == "worksheet":
                with archive.open(target) as file:
                    feed(file, SheetRows(_rows_of(sheet.name, flow), strings, values))
        flow.end()
        return title_of(archive)


def _rows_of(sheet: str, flow: Flow) -> HeaderRows:
    """Where the rows of a sheet go: under its name, if there are any."""
    begun = False

    def hand_on(text: str, number: int) -> None:
        nonlocal begun
        if not begun:
            begun = True
            flow.add(BlockKind.HEADING, sheet, 1, Place(Unit.ROW, number, number, sheet))
        flow.add(BlockKind.TABLE_ROW, text, 0, Place(Unit.ROW, number, number, sheet))

    return HeaderRows(hand_on)


class _Sheet(NamedTuple):
    name: str
    relationship: str


class _Book:
    """The sheets of the workbook, and from when its days are counted."""

    def __init__(self) -> None:
        self.sheets: list[_Sheet] = []
        self.from_1904 = False

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "s:sheet":
            title = without_broken(attributes.get("name", ""))[:_LONGEST_NAME]
            self.sheets.append(_Sheet(title, attributes.get("r:id", "")))
        elif name == "s:workbookPr":
            self.from_1904 = attributes.get("date1904", "0") in {"1", "true"}

    def end(self, name: str) -> None:
        pass

    def text(self, data: str) -> None:
        pass
