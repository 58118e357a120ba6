"""What a reader of files makes of one: its text in blocks, or why it has none."""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from palimpsest.domain.errors import PalimpsestError


class BlockKind(StrEnum):
    """What a block is in the structure of its document."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    LIST_ITEM = "list_item"
    TABLE_ROW = "table_row"
    CODE = "code"


class Unit(StrEnum):
    """What a document counts its places in."""

    LINE = "line"
    PAGE = "page"
    SLIDE = "slide"
    ROW = "row"
    PART = "part"


class Place(NamedTuple):
    """Where in its document something stands, for a person: the units `first` to `last` (from 1),
    `within` a sheet or a part that has a name.
    """

    unit: Unit
    first: int
    last: int
    within: str | None = None

    def __str__(self) -> str:
        """As a citation says it: `pages 3-4`, `sheet Prices, row 14`."""
        plural = "s" * (self.last > self.first)
        numbers = f"{self.first}-{self.last}" if plural else str(self.first)
        counted = f"{self.unit.value}{plural} {numbers}"
        if self.within is None:
            return counted
        return f"{'sheet ' * (self.unit is Unit.ROW)}{self.within}, {counted}"

    def upto(self, other: "Place") -> "Place":
        """From here to the end of a later place; this one alone where the two cannot be joined."""
        if (other.unit, other.within) != (self.unit, self.within):
            return self
        return self._replace(last=max(self.last, other.last))


@dataclass(frozen=True, slots=True)
class Block:
    r"""A piece of a document's text: the texts of all blocks, one after another, are the whole of
    it, so the white space that follows a paragraph stands at its end. Line ends are `\n`; there is
    no NUL and no lone surrogate.

    `level`: of a heading 1 and deeper, of a list item its depth from 0. `place`: None where the
    format has none. `title`: what a heading says, where its text has markup around that.
    """

    kind: BlockKind
    text: str
    level: int = 0
    place: Place | None = None
    title: str | None = None

    def within(self, first: int, last: int) -> Place | None:
        """The place of the characters from `first` to before `last` of this block: nearer than its
        own where lines are counted.
        """
        if self.place is None or self.place.unit is not Unit.LINE:
            return self.place
        begin = self.place.first + self.text.count("\n", 0, first)
        lines = self.text[first:last].rstrip("\n").count("\n")
        return self.place._replace(first=begin, last=begin + lines)


class UnreadableReason(StrEnum):
    """Why a file has no text that could be searched, as the API names it."""

    NO_TEXT = "no_text"
    ENCRYPTED = "encrypted"
    UNSUPPORTED_TYPE = "unsupported_type"
    TOO_LARGE = "too_large"
    CORRUPT = "corrupt"
    TIMEOUT = "timeout"


class Unreadable(PalimpsestError):
    """A file that cannot be read, and never will be as it is. `detail`: a sentence for whoever
    uploaded it, without any of its content.
    """

    def __init__(self, reason: UnreadableReason, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail


@dataclass(frozen=True, slots=True)
class FileName:
    """What a file says of itself, none of which need be true."""

    name: str
    content_type: str | None = None

    @property
    def extension(self) -> str:
        """The last ending of its name in lower case, without the dot; empty where there is none."""
        stem, dot, ending = self.name.rpartition("/")[2].rpartition(".")
        return ending.lower() if dot and stem else ""


@dataclass(frozen=True, slots=True)
class Extraction:
    """What was read of a file beside its blocks: its own title, if it has one, and how many broken
    characters (NULs, lone surrogates) were left out.
    """

    title: str | None = None
    removed: int = 0
