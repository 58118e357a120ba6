"""Where a page ends: below a score, or at the end of a token budget."""

from collections.abc import Sequence
from dataclasses import replace

from palimpsest.domain.fusion import FusedHit
from palimpsest.domain.queries import Hit
from palimpsest.domain.whole_characters import whole_end

CHARACTERS_OF_A_TOKEN = 4


def not_below(hits: Sequence[FusedHit], least: float | None) -> Sequence[FusedHit]:
    """The hits of an ordered list before the first one whose score is below `least` (None: all)."""
    if least is None:
        return hits
    for place, hit in enumerate(hits):
        if hit.ordering < least:
            return hits[:place]
    return hits


def tokens_of(text: str) -> int:
    """Four characters are a token, rounded up."""
    return -(-len(text) // CHARACTERS_OF_A_TOKEN)


def within_tokens(hits: Sequence[Hit], most: int | None) -> list[Hit]:
    """The hits before the first one whose text would pass a budget of `most` tokens (None: all). If
    that is the very first one, it alone, its text cut to the budget, though never within what a
    reader sees as one character.
    """
    if most is None:
        return list(hits)
    kept: list[Hit] = []
    left = most
    for hit in hits:
        text = hit.record.content.text if hit.record.content else ""
        left -= tokens_of(text)
        if left < 0:
            break
        kept.append(hit)
    if hits and not kept:
        content = hits[0].record.content
        whole = content.text if content else ""
        kept = [replace(hits[0], text=whole[: whole_end(whole, most * CHARACTERS_OF_A_TOKEN)])]
    return kept
