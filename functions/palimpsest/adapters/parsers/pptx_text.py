"""The text of a slide, or of its notes, paragraph by paragraph."""

from collections.abc import Mapping
from typing import Final

from palimpsest.adapters.parsers.cells import Cells, Piece
from palimpsest.domain.extraction import BlockKind

_TITLES: Final = frozenset({"title", "ctrTitle"})
_FURNITURE: Final = frozenset({"ftr", "dt", "hdr", "sldNum", "sldImg"})
"""Placeholders of what stands on every slide."""

_BULLETED: Final = frozenset({"", "body", "obj"})
_LEFT_OUT: Final = frozenset({"mc:Fallback", "a:fld"})
"""What is there twice, and numbers and dates that the program fills in."""

_SHAPES: Final = frozenset({"p:sp", "p:graphicFrame"})


class SlideText:
    """Takes the events of a slide and adds its paragraphs to `cells`."""

    def __init__(self, cells: Cells) -> None:
        self._cells = cells
        self._placeholder: str | None = None
        self._paragraph: list[str] | None = None
        self._level = self._left_out = 0
        self._is_text = False

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        """See `Events.start`."""
        if self._left_out or name in _LEFT_OUT:
            self._left_out += 1
        elif name in _SHAPES:
            self._placeholder = None
        elif name == "p:ph":
            self._placeholder = attributes.get("type", "")
        elif name == "a:p":
            self._paragraph, self._level = [], 0
        elif name == "a:pPr":
            level = attributes.get("lvl", "0")
            self._level = int(level) if level.isdigit() and len(level) == 1 else 0
        elif name == "a:t":
            self._is_text = True
        elif name == "a:br" and self._paragraph is not None:
            self._paragraph.append("\n")
        elif name == "a:tr":
            self._cells.begin_row()
        elif name == "a:tc":
            self._cells.begin_cell()

    def end(self, name: str) -> None:
        """See `Events.end`."""
        self._is_text = False
        if self._left_out:
            self._left_out -= 1
        elif name == "a:p" and self._paragraph is not None:
            self._add("".join(self._paragraph))
            self._paragraph = None
        elif name == "a:tr":
            self._cells.end_row()

    def text(self, data: str) -> None:
        """See `Events.text`."""
        if self._is_text and not self._left_out and self._paragraph is not None:
            self._paragraph.append(data.replace("\v", "\n"))

    def _add(self, text: str) -> None:
        if self._placeholder in _FURNITURE:
            return
        if self._placeholder in _TITLES:
            self._cells.add(Piece(BlockKind.HEADING, text, 1))
        elif self._placeholder in _BULLETED:
            self._cells.add(Piece(BlockKind.LIST_ITEM, text, self._level))
        else:
            self._cells.add(Piece(BlockKind.PARAGRAPH, text))
