"""Text of formats that are no text themselves, put one piece after another."""

from typing import Final

from palimpsest.adapters.parsers.block_writer import BlockWriter
from palimpsest.domain.extraction import BlockKind, Place

_CLOSE: Final = frozenset({BlockKind.LIST_ITEM, BlockKind.TABLE_ROW})


class Flow:
    """Puts a line end between the items of a list and the rows of a table, and a blank line between
    any other two pieces. `end` writes the last one.
    """

    def __init__(self, out: BlockWriter) -> None:
        self._out = out
        self._last: tuple[BlockKind, str, int, Place | None] | None = None

    def add(self, kind: BlockKind, text: str, level: int = 0, place: Place | None = None) -> None:
        """Add a piece, without the white space around it (in front of code it stays); nothing where
        there is no text.
        """
        text = text.strip("\n").rstrip() if kind is BlockKind.CODE else text.strip()
        if not text:
            return
        if self._last is not None:
            before = self._last[0]
            self._write("\n" if before is kind and kind in _CLOSE else "\n\n")
        self._last = (kind, text, level, place)

    def end(self) -> None:
        """Write what is left."""
        if self._last is not None:
            self._write("\n")
        self._last = None

    def _write(self, separator: str) -> None:
        if self._last is not None:
            kind, text, level, place = self._last
            self._out.add(kind, text + separator, level, place)
