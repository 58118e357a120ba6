"""The headings above a place in a document."""

from palimpsest.domain.whole_characters import whole_end

DEEPEST = 9
"""Levels beyond count as this one: no format that is read has more."""

LONGEST = 256
"""Code points of a heading in a path; a longer one ends with an ellipsis."""

MOST_BYTES = 1_024
"""Of UTF-8 in all headings of a path; where it is too long, the outermost are left out. One heading
always fits.
"""

_READ = 4 * LONGEST
_ELLIPSIS = "…"


class HeadingPath:
    """The headings that hold at the place a reader has come to, outermost first.

    A heading is top-level if its level is 1, or if no heading before it has a smaller level.
    """

    def __init__(self) -> None:
        self._held: list[tuple[int, str]] = []
        self._smallest = DEEPEST
        self.path: tuple[str, ...] = ()

    def enter(self, level: int, text: str) -> bool:
        """Go on below a heading; whether it is top-level."""
        level = min(max(level, 1), DEEPEST)
        is_top = level <= self._smallest
        self._smallest = min(level, self._smallest)
        while self._held and self._held[-1][0] >= level:
            self._held.pop()
        self._held.append((level, titled(text)))
        self.path = _bounded([title for _, title in self._held])
        return is_top


def titled(text: str) -> str:
    """A heading's text on one line, at most `LONGEST` code points."""
    folded = " ".join(text[:_READ].split())
    if len(folded) <= LONGEST and len(text) <= _READ:
        return folded
    return folded[: whole_end(folded, LONGEST - 1)].rstrip() + _ELLIPSIS


def _bounded(titles: list[str]) -> tuple[str, ...]:
    """As many of the innermost as fit; none that is empty."""
    kept: list[str] = []
    left = MOST_BYTES
    for title in reversed([title for title in titles if title]):
        left -= len(title.encode())
        if left < 0:
            break
        kept.append(title)
    return tuple(reversed(kept))
