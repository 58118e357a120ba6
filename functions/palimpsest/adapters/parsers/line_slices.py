"""Blocks that are slices of a text file, cut between its lines."""

from typing import Final

from palimpsest.adapters.parsers.block_writer import BlockWriter
from palimpsest.domain.extraction import BlockKind, Place, Unit

LONG: Final = 16 * 1024
"""Characters from which on a block is ended at the next line."""


class LineSlices:
    """Collects lines, one after another, into blocks. Each line belongs to one block, and lines may
    come in pieces.
    """

    def __init__(self, out: BlockWriter) -> None:
        self._out = out
        self._lines: list[str] = []
        self._first = self._next = 1
        self.size = 0
        """Characters that are collected."""
        self.blank_end = False
        """Whether the last line that was collected is blank."""
        self.has_text = False
        """Whether a line that is not blank was collected."""

    def take(self, line: str) -> None:
        """Collect a line, with its end."""
        self._lines.append(line)
        self.size += len(line)
        self.blank_end = line.isspace()
        self.has_text = self.has_text or not self.blank_end
        self._next += line.endswith("\n")

    def take_back(self) -> str:
        """The last line, no longer collected."""
        line = self._lines.pop()
        self.size -= len(line)
        self._next -= line.endswith("\n")
        return line

    @property
    def is_long(self) -> bool:
        """Whether a block of what is collected should end soon."""
        return self.size >= LONG

    @property
    def lines(self) -> list[str]:
        """What is collected."""
        return self._lines

    def end(self, kind: BlockKind, level: int = 0, title: str | None = None) -> None:
        """Make a block of what is collected, if there is anything."""
        if self._lines:
            text = "".join(self._lines)
            last = self._first + text.rstrip().count("\n")
            place = Place(Unit.LINE, self._first, last)
            self._out.add(kind, text, level, place, title=title)
        self._first = self._next
        self._lines = []
        self.size = 0
        self.blank_end = self.has_text = False
