"""The pieces that chunks are packed from: of a whole document, with what each costs."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import NamedTuple

from palimpsest.domain.batching import batched
from palimpsest.domain.borders import TAIL, Border, border_between
from palimpsest.domain.extraction import Block, BlockKind, Place, Unit
from palimpsest.domain.headings import HeadingPath
from palimpsest.domain.text_pieces import (
    LONGEST_BLANK,
    Span,
    is_whole,
    lead_begin,
    spans,
    whole_end_of_blank,
)
from palimpsest.domain.whole_characters import LONGEST

CountTokens = Callable[[Sequence[str]], Sequence[int]]

PIECES_A_CALL = 512
"""Of what is counted at once, and so of what is read ahead."""
BYTES_A_CALL = 128 * 1024

LONG = 4_096
"""Code points; a block that is longer is not held on to."""


class Piece(NamedTuple):
    """A run of a document's text: `start` counts its code points, `size` is the piece's bytes of
    UTF-8, `border` is what stands before it, `path` are the headings that hold.
    """

    start: int
    text: str
    border: int
    path: tuple[str, ...]
    place: Place | None
    is_heading: bool
    size: int
    tokens: int = 0

    @property
    def end(self) -> int:
        """Where the next one starts, unless white space is left out between them."""
        return self.start + len(self.text)


def counted(
    blocks: Iterable[Block], *, tokens: CountTokens, size: int, most: int
) -> Iterator[Piece]:
    """The pieces of a document, each with its tokens: of `size` bytes where the text allows it, and
    none of more than `most` tokens that is not a single character.
    """
    pieces = _Walk(size).pieces(blocks)
    for batch in batched(pieces, most=PIECES_A_CALL, size=BYTES_A_CALL, size_of=_size):
        yield from _fitting(batch, tokens, most)


def _fitting(batch: Sequence[Piece], tokens: CountTokens, most: int) -> Iterator[Piece]:
    counts = tokens([piece.text for piece in batch])
    for piece, count in zip(batch, counts, strict=True):
        parts = _parts(piece) if count > most else []
        if len(parts) > 1:
            yield from _fitting(parts, tokens, most)
        else:
            yield Piece(*piece[:-1], count)


def _parts(piece: Piece) -> list[Piece]:
    """A piece in parts of half its size, or smaller ones if that gives only one; itself where it is
    a single character.
    """
    size = len(piece.text.strip().encode())
    found: list[Span] = []
    while len(found) < 2 <= size:  # noqa: PLR2004  # a single part is none
        size //= 2
        found = list(spans(piece.text, size=size))
    begins = [0, *(span.start for span in found[1:])]
    ends = [*begins[1:], len(piece.text)]
    borders = [piece.border, *(span.border for span in found[1:])]
    return [
        _part(piece, begin, end, border)
        for begin, end, border in zip(begins, ends, borders, strict=True)
    ]


def _size(piece: Piece) -> int:
    return piece.size


def _part(piece: Piece, begin: int, end: int, border: int) -> Piece:
    part = _worded(piece, piece.text[begin:end])
    return part._replace(start=piece.start + begin, border=border)


def _worded(piece: Piece, text: str) -> Piece:
    return piece._replace(text=text, size=len(text.encode()))


class _Walk:
    """A walk through a document. The newest piece is held until it is known which white space
    belongs to it, and whether the next block begins in the middle of a character.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._headings = HeadingPath()
        self._former: Block | None = None
        self._held: Piece | None = None
        self._lead = ""  # the white space before the first piece

    def pieces(self, blocks: Iterable[Block]) -> Iterator[Piece]:
        """Every piece of these blocks."""
        offset = 0
        for block in blocks:
            glued = self._glued(block.text, offset)
            self._attach(block.text[:glued], offset)
            yield from self._of_block(block, block.text[glued:], offset + glued)
            offset += len(block.text)
        if self._held:
            yield self._held

    def _of_block(self, block: Block, text: str, offset: int) -> Iterator[Piece]:
        found = spans(text, size=self._size, lines=block.kind is BlockKind.CODE)
        first = next(found, None)
        if first is None:
            self._attach(text, offset)
            return
        first = first._replace(border=self._enter(block))
        lines, counted_to = block.text.count("\n", 0, len(block.text) - len(text)), 0
        for span in chain((first,), found):
            lines += text.count("\n", counted_to, span.start)
            counted_to = span.start
            run = text[span.start : span.end]
            piece = Piece(
                start=offset + span.start,
                text=run,
                border=span.border,
                path=self._headings.path,
                place=_place(block.place, run, lines),
                is_heading=block.kind is BlockKind.HEADING,
                size=len(run.encode()),
            )
            done = self._take(piece, is_near=span.start == 0)
            if done:
                yield done

    def _enter(self, block: Block) -> int:
        """What stands before a block, which is now the newest."""
        is_top = block.kind is BlockKind.HEADING and self._headings.enter(
            block.level, block.title or block.text
        )
        former, self._former = self._former, block
        if len(block.text) > LONG:
            self._former = replace(block, text=block.text[-TAIL:])
        return border_between(former, block, is_top=is_top) if former else Border.SECTION

    def _take(self, piece: Piece, *, is_near: bool) -> Piece | None:
        """Hold a piece instead of the one before it, which is complete now."""
        held, lead = self._held, self._lead if is_near else ""
        if held is None:
            first = _worded(piece, lead + piece.text)
            self._held = first._replace(start=piece.start - len(lead))
            return None
        is_next = held.end == piece.start
        self._held = piece if is_next else piece._replace(border=Border.SECTION)
        return held

    def _attach(self, text: str, offset: int) -> None:
        """Add what is no piece of its own to the newest one, as far as there is room."""
        held = self._held
        if held is None:
            lead = self._lead + text[-LONGEST_BLANK:]
            self._lead = lead[lead_begin(lead, len(lead)) :]
        elif held.end == offset:
            room = self._size + 2 * LONGEST_BLANK - len(held.text)
            some = text[: whole_end_of_blank(text, 0, min(len(text), max(0, room)))]
            if some:
                self._held = _worded(held, held.text + some)

    def _glued(self, text: str, offset: int) -> int:
        """How many code points at the beginning of a block belong to the character before it."""
        if self._held is None or self._held.end != offset:
            return 0
        before = self._held.text
        joined = before + text[: LONGEST + 1]
        glued = 0
        while glued < min(len(text), LONGEST) and not is_whole(joined, len(before) + glued):
            glued += 1
        return glued


def _place(place: Place | None, text: str, lines: int) -> Place | None:
    """Where a piece stands that has so many lines of its block before it."""
    if place is None or place.unit is not Unit.LINE:
        return place
    first = place.first + lines
    return Place(place.unit, first, first + text.rstrip("\n").count("\n"), place.within)
