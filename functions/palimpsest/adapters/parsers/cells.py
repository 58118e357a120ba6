"""Tables that come in pieces: rows of cells, cells of paragraphs or of further tables."""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import chain
from typing import Final

from palimpsest.domain.extraction import BlockKind

BETWEEN: Final = " | "
_LONGEST_CELL: Final = 1500
"""Characters; a cell that holds more, or a heading, is a part of a page, not a value."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of text that has ended."""

    kind: BlockKind
    text: str
    level: int = 0


@dataclass(slots=True)
class _Row:
    cells: list[list[Piece]] = field(default_factory=list)


class Cells:
    """Takes pieces and hands them on at once outside of tables. In a row they wait for its end: one
    that only lays out a page is a frame, whose pieces go on as they are; of others each cell
    becomes one line.
    """

    def __init__(self, hand_on: Callable[[Piece], None]) -> None:
        self._hand_on = hand_on
        self._rows: list[_Row] = []

    def add(self, piece: Piece) -> None:
        """A piece that has ended."""
        if not piece.text.strip():
            return
        if self._rows and self._rows[-1].cells:
            self._rows[-1].cells[-1].append(piece)
        else:
            self._hand_on(piece)

    def begin_row(self) -> None:
        """A row begins, of a table or of one inside a cell."""
        self._rows.append(_Row())

    def begin_cell(self) -> None:
        """The next cell of the row begins."""
        if self._rows:
            self._rows[-1].cells.append([])

    def end_row(self) -> None:
        """The row ends."""
        if not self._rows:
            return
        cells = self._rows.pop().cells
        if len(cells) == 1 or any(map(_is_part_of_page, cells)):
            for piece in chain.from_iterable(cells):
                self.add(piece)
            return
        texts = [" ".join(" ".join(one.text for one in cell).split()) for cell in cells]
        if any(texts):
            self.add(Piece(BlockKind.TABLE_ROW, BETWEEN.join(texts)))

    def end(self) -> None:
        """Nothing more comes: rows that were not ended end here."""
        while self._rows:
            self.end_row()


def _is_part_of_page(cell: list[Piece]) -> bool:
    return sum(len(piece.text) for piece in cell) > _LONGEST_CELL or any(
        piece.kind is BlockKind.HEADING for piece in cell
    )
