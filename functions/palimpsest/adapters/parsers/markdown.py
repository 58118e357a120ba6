"""Markdown, as it is: the blocks are slices of the text, what they are is read off their lines."""

from typing import Final

from palimpsest.adapters.parsers import markdown_lines as kinds
from palimpsest.adapters.parsers.line_slices import LineSlices
from palimpsest.adapters.parsers.reading import Reading
from palimpsest.adapters.parsers.text_lines import TextLines
from palimpsest.domain.extraction import BlockKind

_FRONT_MATTER_ENDS: Final = frozenset({"---", "..."})
_LONGEST_FRONT_MATTER: Final = 200
_LINES_OF_HEADING: Final = 3


def read(reading: Reading) -> str | None:
    """Read it. Its title is what its front matter says, else its first heading of the first
    level.
    """
    lines = TextLines(reading.source)
    scan = _Scan(LineSlices(reading.out))
    for line in lines:
        scan.take(line)
    scan.end()
    reading.out.removed += lines.removed
    return scan.title or scan.first_heading


class _Scan:
    """Goes through the lines and knows what block it is in."""

    def __init__(self, slices: LineSlices) -> None:
        self._slices = slices
        self._kind, self._level = BlockKind.PARAGRAPH, 0
        self._fence = ""
        self._front_matter = 0
        self._indents: list[int] = []
        self._begins = True
        self._number = 0
        self._heading = self.title = self.first_heading = ""

    def take(self, line: str) -> None:
        """The next line, or piece of one: only its first piece says what it is."""
        first, self._begins = self._begins, line.endswith("\n")
        self._number += first
        if not first:
            self._slices.take(line)
        elif self._front_matter:
            self._take_front_matter(line)
        elif self._fence:
            self._take_code(line)
        elif line.isspace():
            self._slices.take(line)
        else:
            self._take_text(line, line.rstrip("\n"))
        if self._slices.is_long:
            self._end_block()

    def end(self) -> None:
        """No more lines come."""
        self._end_block()

    def _end_block(self) -> None:
        self._slices.end(self._kind, self._level, self._heading or None)
        self._heading = ""

    def _begin(self, kind: BlockKind, level: int = 0) -> None:
        self._end_block()
        self._kind, self._level = kind, level

    def _take_text(self, line: str, bare: str) -> None:
        """A line that has text and stands in nothing that swallows it."""
        if self._number == 1 and bare == "---":
            self._front_matter = 1
        elif fence := kinds.FENCE.match(bare):
            self._begin(BlockKind.CODE)
            self._fence = fence[1]
        elif heading := kinds.HEADING.match(bare):
            self._begin(BlockKind.HEADING, len(heading[1]))
            self._note_heading(kinds.heading_text(line))
        elif not self._closes_lines_above(bare):
            self._take_other(line, bare)
            return
        self._slices.take(line)

    def _closes_lines_above(self, bare: str) -> bool:
        """Whether a line only says what those above it are: a heading, or the head of a table."""
        above = self._slices.lines
        if self._kind is not BlockKind.PARAGRAPH or self._slices.blank_end or not above:
            return False
        if kinds.is_delimiter_row(bare, above[-1]):
            header = self._slices.take_back()
            self._begin(BlockKind.TABLE_ROW)
            self._slices.take(header)
            return True
        if len(above) <= _LINES_OF_HEADING and (found := kinds.UNDERLINE.match(bare)):
            self._kind, self._level = BlockKind.HEADING, 1 if found[1][0] == "=" else 2
            self._note_heading(" ".join(above).strip())
            return True
        return False

    def _take_other(self, line: str, bare: str) -> None:
        """An item, a row, indented code, or a paragraph: begun or gone on with."""
        after_blank = self._slices.blank_end
        if (item := kinds.ITEM.match(bare)) and not kinds.BREAK.match(bare):
            self._begin(BlockKind.LIST_ITEM, self._depth(kinds.indent_of(item[1])))
        elif self._kind is BlockKind.TABLE_ROW and "|" in bare and not after_blank:
            self._begin(BlockKind.TABLE_ROW)
        elif self._kind is BlockKind.LIST_ITEM and kinds.indent_of(line) > self._indents[-1]:
            pass
        elif kinds.INDENTED.match(bare) and (after_blank or not self._slices.has_text):
            if self._kind is not BlockKind.CODE:
                self._begin(BlockKind.CODE)
        elif after_blank or self._ends_before_text(bare):
            self._begin(BlockKind.PARAGRAPH)
        if self._kind is not BlockKind.LIST_ITEM:
            self._indents = []
        self._slices.take(line)

    def _ends_before_text(self, bare: str) -> bool:
        """Whether the block ends before a line of text that no blank line parts from it."""
        if self._kind in {BlockKind.PARAGRAPH, BlockKind.LIST_ITEM}:
            return kinds.BREAK.match(bare) is not None
        return True

    def _depth(self, indent: int) -> int:
        while self._indents and self._indents[-1] >= indent:
            self._indents.pop()
        self._indents.append(indent)
        return len(self._indents) - 1

    def _take_code(self, line: str) -> None:
        self._slices.take(line)
        bare = line.strip()
        mark = self._fence[0]
        if bare.startswith(self._fence) and not bare.strip(mark):
            self._fence = ""

    def _take_front_matter(self, line: str) -> None:
        self._slices.take(line)
        self._front_matter += 1
        key, _colon, value = line.partition(":")
        if key == "title":
            self.title = value.strip().strip("\"'")
        if line.strip() in _FRONT_MATTER_ENDS or self._front_matter > _LONGEST_FRONT_MATTER:
            self._front_matter = 0

    def _note_heading(self, text: str) -> None:
        self._heading = text
        if self._level == 1 and not self.first_heading:
            self.first_heading = text
