"""Headings, paragraphs and list items out of the lines of the pages of a PDF."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Final

from palimpsest.adapters.parsers.pdf_lines import PageLine
from palimpsest.domain.extraction import BlockKind

_BULLET: Final = re.compile(r"[•‣▪●○◦∙·■□➢✓–]\s+\S")
_LARGER: Final = 1.15
"""Times the size of the body from which on a line may be a heading."""

_SAME_SIZE: Final = 0.1
_WIDE_GAP: Final = 1.35
"""Times the usual distance of lines from which on one begins a new paragraph."""

_FARTHEST: Final = 2.2
"""Times its height that a line is from the one above it, where no distance is usual."""

_LONGEST_HEADING, _MOST_LINES_OF_HEADING = 200, 3
_DEEPEST: Final = 6
_MOST_IN_HEADINGS: Final = 0.3
"""The share of all characters that larger type may have to mean headings."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a page."""

    kind: BlockKind
    text: str
    level: int = 0


class Sizes:
    """Which sizes of type a document has: the most frequent one is its body, larger ones are its
    headings, unless so much is large that this means nothing.
    """

    def __init__(self, lines: Iterable[PageLine]) -> None:
        counted: Counter[float] = Counter()
        for line in lines:
            counted[_rounded(line.size)] += len(line.text)
        self._body = counted.most_common(1)[0][0] if counted else 0.0
        larger = {size: n for size, n in counted.items() if size > _LARGER * self._body}
        is_clear = sum(larger.values()) <= _MOST_IN_HEADINGS * counted.total()
        self._larger = sorted(larger, reverse=True) if is_clear else None

    def level_of(self, size: float) -> int:
        """The level of a heading of that size; 0 where it is none."""
        if self._larger is None or size <= _LARGER * self._body or self._body <= 0:
            return 0
        return min(_DEEPEST, 1 + sum(larger > _rounded(size) for larger in self._larger))


def pieces_of(lines: list[PageLine], sizes: Sizes, outline: Mapping[str, int]) -> Iterator[Piece]:
    """The pieces of one page. `outline`: the levels of the headings that the document itself says
    are on it, by their folded texts.
    """
    usual = _usual_distance(lines)
    held: list[PageLine] = []
    for line in lines:
        if held and (
            _parts(held[-1], line, usual)
            or folded(held[-1].text) in outline
            or folded(line.text) in outline
        ):
            yield _piece(held, sizes, outline)
            held = []
        held.append(line)
    if held:
        yield _piece(held, sizes, outline)


def folded(text: str) -> str:
    """A heading so that it can be compared."""
    return " ".join(text.casefold().split())


def _piece(lines: list[PageLine], sizes: Sizes, outline: Mapping[str, int]) -> Piece:
    text = "\n".join(line.text for line in lines)
    if (level := outline.get(folded(text))) is not None:
        return Piece(BlockKind.HEADING, text, level)
    is_short = len(text) <= _LONGEST_HEADING and len(lines) <= _MOST_LINES_OF_HEADING
    if is_short and any(map(str.isalpha, text)):
        level = min(sizes.level_of(line.size) for line in lines)
        if level:
            return Piece(BlockKind.HEADING, text, level)
    if _BULLET.match(text):
        return Piece(BlockKind.LIST_ITEM, text)
    return Piece(BlockKind.PARAGRAPH, text)


def _parts(above: PageLine, line: PageLine, usual: float | None) -> bool:
    """Whether a new piece begins with a line."""
    distance = above.y - line.y
    if distance < 0 or _BULLET.match(line.text):  # the top of the next column
        return True
    if abs(above.size - line.size) > _SAME_SIZE * max(above.size, line.size):
        return True
    if usual is None:
        return distance > _FARTHEST * max(above.size, 1.0)
    return distance > _WIDE_GAP * usual


def _usual_distance(lines: list[PageLine]) -> float | None:
    """The distance of lines within paragraphs: of those not far apart, the middle one of the
    smaller half.
    """
    distances = sorted(
        above.y - line.y
        for above, line in pairwise(lines)
        if 0 < above.y - line.y <= _FARTHEST * max(above.size, 1.0)
    )
    return median(distances[: (len(distances) + 1) // 2]) if distances else None


def _rounded(size: float) -> float:
    return round(2 * size) / 2
