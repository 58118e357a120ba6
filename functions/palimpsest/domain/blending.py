"""Blending: the merge that keeps a hit's own score beside its ranks.

score = 0.7 x the best original score of a hit in any ranking + 0.3 x its reciprocal rank sum / the
highest such sum, the sum being 1 / (60 + rank) over the rankings that have it, ranks from 0. What
ends below 0.3 is left out by `fuse`. Source: the dual retriever of umi-memory (rita-aga/umi).
"""

from collections.abc import Hashable, Mapping, Sequence
from typing import TypeVar

ORIGINAL_SHARE = 0.7
RANK_SHARE = 0.3
FLOOR = 0.3
RANK_K = 60
"""Of ranks from 0, as the source counts them."""

Key = TypeVar("Key", bound=Hashable)
Name = TypeVar("Name", bound=Hashable)


def blended(
    rankings: Mapping[Name, Sequence[tuple[Key, float]]],
) -> dict[Key, dict[Name, float]]:
    """What each ranking, of keys with original scores of 0..1, adds to the score of each key: its
    share of the ranks, and in the ranking of the best original score (the first of several) that
    one too. A key twice in a ranking counts at its better rank.
    """
    sums: dict[Key, dict[Name, float]] = {}
    best: dict[Key, tuple[float, Name]] = {}
    for name, ranking in rankings.items():
        for rank, (key, original) in enumerate(ranking):
            by_name = sums.setdefault(key, {})
            if name in by_name:
                continue
            by_name[name] = 1 / (RANK_K + rank)
            if key not in best or original > best[key][0]:
                best[key] = original, name
    highest = max((sum(by_name.values()) for by_name in sums.values()), default=1.0)
    for key, by_name in sums.items():
        for name, share in by_name.items():
            by_name[name] = RANK_SHARE * share / highest
        original, name = best[key]
        by_name[name] += ORIGINAL_SHARE * original
    return sums
