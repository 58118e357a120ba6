"""Passages: the part of a text that answers a question best, from sentence to sentence."""

from collections.abc import Sequence

from palimpsest.domain.analysis import spans as words
from palimpsest.domain.analysis import terms
from palimpsest.domain.borders import Border
from palimpsest.domain.text_pieces import Span, spans

LENGTH = 500
"""Characters of a passage, at most."""

READ = 16_000
"""Characters of a text that are looked through."""

_PIECE_BYTES = 240
_ELLIPSIS = "…"


def passage(text: str, query: str, *, length: int = LENGTH) -> str:
    """At most `length` (at least 250) characters of `text`: of its runs of whole sentences the one
    with the most different words of the query, the first such. White space is folded; an ellipsis
    marks a cut. A sentence that is too long is cut at a pause within it.
    """
    whole = " ".join(text[: READ + 1].split())
    if len(text) <= READ and len(whole) <= length:
        return whole
    looked_through = text[:READ]
    pieces = list(spans(looked_through, size=_PIECE_BYTES))
    if not pieces:
        return ""
    wanted = frozenset(terms(query))
    found = [
        {term for term, _, _ in words(looked_through[one.start : one.end]) if term in wanted}
        for one in pieces
    ]
    runs = [_run(pieces, n, length - 2 * len(_ELLIPSIS)) for n in range(len(pieces))]
    near = [n for n in range(len(pieces)) if any(found[n : n + 2])]  # a sentence ahead of a word
    first = max(
        near or [0],
        key=lambda n: (
            len(set[str]().union(*found[n : runs[n]])),
            pieces[n].border >= Border.SENTENCE or n == 0,
            -n,
        ),
    )
    end = runs[first]
    said = " ".join(looked_through[pieces[first].start : pieces[end - 1].end].split())
    cut = end < len(pieces) or len(text) > READ
    return (_ELLIPSIS if first else "") + said + (_ELLIPSIS if cut else "")


def _run(pieces: Sequence[Span], first: int, length: int) -> int:
    """Before which piece a run from `first` on ends: it has at most `length` characters, and ends
    with a sentence if it can.
    """
    end = first + 1
    while end < len(pieces) and pieces[end].end - pieces[first].start <= length:
        end += 1
    whole = end
    while whole - 1 > first and whole < len(pieces) and pieces[whole].border < Border.SENTENCE:
        whole -= 1
    at_a_border = whole == len(pieces) or pieces[whole].border >= Border.SENTENCE
    return whole if at_a_border else end
