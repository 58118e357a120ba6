"""Borders: how strongly what stands between two pieces of a text parts them."""

import re
from enum import IntEnum

from palimpsest.domain.extraction import Block, BlockKind, Place, Unit
from palimpsest.domain.headings import DEEPEST

TAIL = 64
"""Code points at the end of a block that tell how it ends."""

_SENTENCE_ENDS = re.compile(r"[.!?…:;。！？｡।॥؟۔።]\W*\Z")
_ANNOUNCES = re.compile(r"[:：]\s*\Z")
_ANNOUNCED = (BlockKind.LIST_ITEM, BlockKind.TABLE_ROW, BlockKind.CODE)


class Border(IntEnum):
    """From what should least be parted to what parts of itself. Between `HEADING` and `SLIDE` is
    one value for each level of headings, the deepest first.
    """

    STUCK = 0  # a heading and what it is the heading of
    CHARACTER = 1
    WORD = 2
    CLAUSE = 3
    SENTENCE = 4  # and lines of code
    ITEM = 5  # rows of a table, items of a list, blank lines in code
    PARAGRAPH = 6
    HEADING = 10
    SLIDE = 20  # and numbered parts
    SECTION = 30  # top-level headings, sheets, named parts, white space that is left out


def border_between(former: Block, block: Block, *, is_top: bool) -> int:
    """What stands between two blocks, both not blank; of the former one its last `TAIL` code
    points are enough. `is_top`: the block is a top-level heading.
    """
    if is_top:
        return Border.SECTION
    change = _change_of_place(former.place, block.place)
    if change >= Border.SLIDE:
        return change
    if former.kind is BlockKind.HEADING:
        return Border.STUCK
    if block.kind is BlockKind.HEADING:
        return Border.HEADING + max(0, DEEPEST - block.level)
    announced = block.kind in _ANNOUNCED and _ANNOUNCES.search(former.text[-TAIL:])
    if announced or (change and not ends_a_sentence(former.text)):
        return Border.CLAUSE
    return _between_kinds(former.kind, block)


def ends_a_sentence(text: str) -> bool:
    """Whether a text ends with a sentence's mark: a paragraph that does not may go on overleaf."""
    return _SENTENCE_ENDS.search(text[-TAIL:]) is not None


def _change_of_place(former: Place | None, place: Place | None) -> int:
    """`SECTION` or `SLIDE` where another one begins, `CLAUSE` where only another page does."""
    if former is None or place is None:
        return 0
    if (former.unit, former.within) != (place.unit, place.within):
        return Border.SECTION
    if place.first <= former.last:
        return 0
    if place.unit in {Unit.SLIDE, Unit.PART}:
        return Border.SLIDE
    return Border.CLAUSE if place.unit is Unit.PAGE else 0


def _between_kinds(former: BlockKind, block: Block) -> int:
    """Rows and items stay together rather than parting from their like."""
    if former is not block.kind:
        return Border.PARAGRAPH
    if block.kind is BlockKind.LIST_ITEM:
        return Border.SENTENCE if block.level else Border.ITEM
    return Border.ITEM if block.kind is BlockKind.TABLE_ROW else Border.PARAGRAPH
