"""Snippets: the part of a text that shows best why it was found."""

from collections import Counter
from functools import lru_cache

from palimpsest.domain.analysis import spans, terms
from palimpsest.domain.whole_characters import whole_end

LENGTH = 300
"""Characters of a snippet, at most."""

READ = 8_000
"""Characters of a text that are looked through for the query's words."""

_ELLIPSIS = "…"


def snippet(text: str, query: str, *, length: int = LENGTH) -> str:
    """At most `length` characters of `text` around the densest cluster of the query's words; the
    beginning where none of them is found. White space is folded; an ellipsis marks a cut.
    """
    if len(text) <= length:
        return " ".join(text.split())
    wanted = _words_of(query)
    found = [(start, term) for term, start, _ in spans(text[:READ]) if term in wanted]
    start = _densest(found, length - 2) if found else 0
    start = _word_start(text, max(0, start - length // 6)) if start else 0
    body = text[start : whole_end(text, start + length - 2)]
    if start + length - 2 < len(text):
        body = _whole_words(body)
    tail = _ELLIPSIS if start + len(body) < len(text) else ""
    return (_ELLIPSIS if start else "") + " ".join(body.split()) + tail


@lru_cache(maxsize=64)
def _words_of(query: str) -> frozenset[str]:
    """The terms of a question, which are looked for in every hit of its answer."""
    return frozenset(terms(query))


def _densest(found: list[tuple[int, str]], width: int) -> int:
    """Where the window of `width` characters with the most different words begins; the
    first such.
    """
    best, best_start, left = 0, found[0][0], 0
    inside: Counter[str] = Counter()
    for position, term in found:
        inside[term] += 1
        while position - found[left][0] > width * 5 // 6:
            gone = found[left][1]
            inside[gone] -= 1
            if not inside[gone]:
                del inside[gone]
            left += 1
        if len(inside) > best:
            best, best_start = len(inside), found[left][0]
    return best_start


def _word_start(text: str, position: int) -> int:
    """The first beginning of a word at or after `position`, if one is near."""
    near = text[position : position + 30]
    for offset, character in enumerate(near):
        if character.isspace():
            return position + offset + 1
    return whole_end(text, position)


def _whole_words(body: str) -> str:
    """The body without a word cut in two at its end, if the words are short enough to tell."""
    cut = max(body.rfind(" "), body.rfind("\n"))
    return body[:cut] if cut > len(body) * 3 // 4 else body
