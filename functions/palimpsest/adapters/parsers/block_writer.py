"""Where the readers of all formats put their blocks: the limits of the output are held here."""

import re
from typing import BinaryIO, Final

from palimpsest.adapters.parsers.block_lines import line_of
from palimpsest.adapters.parsers.cutting import good_end
from palimpsest.adapters.parsers.limits import Limits
from palimpsest.domain.clean import without_broken
from palimpsest.domain.extraction import Block, BlockKind, Place, Unit, Unreadable, UnreadableReason

LONGEST: Final = 32 * 1024
"""Characters of one block: who reads them holds one at a time in memory."""

_BROKEN: Final = re.compile("[\0\ud800-\udfff]")
_LINE_ENDS: Final = re.compile("\r\n?")


class BlockWriter:
    """Writes blocks to a file, cleaned and in pieces of at most `LONGEST` characters. Raises
    `Unreadable` where there is more text than the limits allow.
    """

    def __init__(self, file: BinaryIO, limits: Limits) -> None:
        self._file = file
        self._limits = limits
        self._characters = self._blocks = self._bytes = 0
        self.removed = 0
        """Broken characters that were left out of what was added."""
        self.has_text = False
        """Whether anything was added that is not white space."""

    def add(
        self,
        kind: BlockKind,
        text: str,
        level: int = 0,
        place: Place | None = None,
        *,
        title: str | None = None,
    ) -> None:
        """Add a block; nothing where there is no text. `title`: what a heading says, where its text
        has markup around that.
        """
        title = title and without_broken(title)
        if _BROKEN.search(text):
            whole = len(text)
            text = without_broken(text)
            self.removed += whole - len(text)
        if "\r" in text:
            text = _LINE_ENDS.sub("\n", text)
        while len(text) > LONGEST:
            end = good_end(text, LONGEST)
            self._write(Block(kind, text[:end], level, place, title))
            place = _after(place, text[:end])
            text = text[end:]
        if text:
            self._write(Block(kind, text, level, place, title))

    def start_again(self) -> None:
        """Forget everything that was added."""
        self._file.seek(0)
        self._file.truncate()
        self._characters = self._blocks = self._bytes = self.removed = 0
        self.has_text = False

    def _write(self, block: Block) -> None:
        line = line_of(block)
        self._characters += len(block.text)
        self._blocks += 1
        self._bytes += len(line)
        if (
            self._characters > self._limits.characters
            or self._blocks > self._limits.blocks
            or self._bytes > self._limits.output
        ):
            raise Unreadable(
                UnreadableReason.TOO_LARGE,
                f"It holds more text than {self._limits.characters:,} characters"
                f" or {self._limits.blocks:,} paragraphs.",
            )
        self._file.write(line)
        self.has_text = self.has_text or not block.text.isspace()


def _after(place: Place | None, text: str) -> Place | None:
    if place is None or place.unit is not Unit.LINE:
        return place
    return place._replace(first=min(place.last, place.first + text.count("\n")))
