"""Chunks: a document cut into what is embedded and found, along its own structure.

A chunk ends at the strongest border (`domain/borders.py`) in the last half of what fits, the latest
of equals. It never goes on across a top-level heading (level 1, or the smallest level so far) or
into another sheet or named part, and into another slide or numbered part only while it holds less
than an eighth of `size`. The next chunk begins with whole sentences, else words, from the end of
the former one, as long as both are below the same heading and of the same slide.

Of each chunk what the former one does not hold already makes the text again, with its white space,
which belongs to what it stands behind. (Of white space alone only some 4,000 code points in a row
are in any chunk, and a blank document has none.)
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from palimpsest.domain.borders import Border
from palimpsest.domain.chunk_pieces import CountTokens, Piece, counted
from palimpsest.domain.extraction import Block, Place

SIZE, OVERLAP = 320, 48
"""Tokens."""

MOST_BYTES = 100_000
"""Of UTF-8 in a chunk: what a record may hold."""

_PIECE_BYTES = 32, 192
_BYTES_A_TOKEN = 4
_FULL_ENOUGH = 0.5
_TINY = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """`text` is what the document's text has from `start` to before `end`, in code points; `place`
    reaches from its first piece to its last. `heading_path`: the headings above its text, and those
    that it begins with, outermost first.
    """

    ordinal: int
    start: int
    end: int
    text: str
    heading_path: tuple[str, ...]
    place: Place | None


def chunked(
    blocks: Iterable[Block], *, tokens: CountTokens, size: int = SIZE, overlap: int = OVERLAP
) -> Iterator[Chunk]:
    """The chunks of a document, in order, while its blocks are read: little is read ahead.

    `tokens` counts some hundreds of texts at a time. A chunk's tokens are taken to be those of its
    pieces: where joined pieces have more, a chunk has as many too many. None has more than `size`
    that way, unless it is a single character; at most `overlap` of them stood in the former one.
    Raises `ValueError` unless 0 <= overlap < size, and what `tokens` raises.
    """
    if not 0 <= overlap < size:
        raise ValueError(f"an overlap of {overlap} in chunks of {size} tokens")
    least, most = _PIECE_BYTES
    aimed = min(most, max(least, _BYTES_A_TOKEN * (overlap or size)))
    packing = _Packing(size, overlap)
    for piece in counted(blocks, tokens=tokens, size=aimed, most=size):
        yield from packing.add(piece)
    yield from packing.rest()


class _Packing:
    """The chunk that is being packed: its pieces, the first `_carried` of which stood in the former
    one, and what they cost.
    """

    def __init__(self, size: int, overlap: int) -> None:
        self._size, self._overlap = size, overlap
        self._ordinal = 0
        self._begin([], 0)

    def _begin(self, pieces: list[Piece], carried: int) -> None:
        self._pieces, self._carried = pieces, carried
        self._tokens = sum(piece.tokens for piece in pieces)
        self._bytes = sum(piece.size for piece in pieces)

    def add(self, piece: Piece) -> Iterator[Chunk]:
        """Take the next piece; the chunks that are complete before it."""
        if self._pieces and self._parts(piece):
            yield from self.rest()
        while self._pieces and not self._has_room(piece):
            yield self._cut(piece)
        self._pieces.append(piece)
        self._tokens += piece.tokens
        self._bytes += piece.size

    def rest(self) -> Iterator[Chunk]:
        """What is left, as one chunk."""
        if self._pieces:
            yield self._chunk(self._pieces)
        self._begin([], 0)

    def _parts(self, piece: Piece) -> bool:
        if piece.border < Border.SLIDE:
            return False
        own = sum(held.tokens for held in self._pieces[self._carried :])
        return piece.border >= Border.SECTION or own * _TINY >= self._size

    def _has_room(self, piece: Piece) -> bool:
        return self._tokens + piece.tokens <= self._size and self._bytes + piece.size <= MOST_BYTES

    def _cut(self, following: Piece) -> Chunk:
        """End the chunk at the best place; what is behind it and some before begin the next."""
        end = self._best_end(following)
        done, left = self._pieces[:end], self._pieces[end:]
        carried = self._shared(done, [*left, following])
        self._begin(carried + left, len(carried))
        return self._chunk(done)

    def _best_end(self, following: Piece) -> int:
        held = 0
        best, best_border = len(self._pieces), -1
        for place, piece in enumerate(self._pieces, 1):
            held += piece.tokens
            if place > self._carried and held >= self._size * _FULL_ENOUGH:
                behind = self._pieces[place] if place < len(self._pieces) else following
                if behind.border >= best_border:
                    best, best_border = place, behind.border
        return best

    def _shared(self, done: Sequence[Piece], following: Sequence[Piece]) -> list[Piece]:
        """What a chunk repeats of the former one, if there is room beside what follows: not all of
        it, no heading, and nothing of another section or slide.
        """
        tokens = min(self._size - sum(piece.tokens for piece in following), self._overlap)
        size = MOST_BYTES - sum(piece.size for piece in following)
        best, best_border, behind = len(done), int(Border.WORD), following[0]
        for place in range(len(done) - 1, 0, -1):
            piece = done[place]
            tokens, size = tokens - piece.tokens, size - piece.size
            if behind.border >= Border.HEADING or piece.is_heading or min(tokens, size) < 0:
                break
            quality = min(piece.border or Border.SENTENCE, Border.SENTENCE)  # below a heading, too
            if quality >= best_border:
                best, best_border = place, quality
            behind = piece
        return list(done[best:])

    def _chunk(self, pieces: Sequence[Piece]) -> Chunk:
        first, last = pieces[0], pieces[-1]
        begins = next((piece for piece in pieces if not piece.is_heading), last)
        place = first.place
        if place and last.place:
            place = place.upto(last.place)
        self._ordinal += 1
        return Chunk(
            ordinal=self._ordinal - 1,
            start=first.start,
            end=last.end,
            text="".join([piece.text for piece in pieces]),
            heading_path=begins.path if first.is_heading else first.path,
            place=place,
        )
