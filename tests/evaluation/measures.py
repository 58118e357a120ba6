"""Retrieval measures over one ranking: gain 1, discount log2(rank + 1), ranks from 1."""

import math
from collections.abc import Collection, Sequence


def ndcg(ranking: Sequence[str], relevant: Collection[str], *, depth: int = 10) -> float:
    """Normalised discounted cumulative gain at `depth`. Source: Järvelin, Kekäläinen, TOIS 2002."""
    gained = sum(
        1 / math.log2(rank + 1) for rank, i in enumerate(ranking[:depth], 1) if i in relevant
    )
    ideal = sum(1 / math.log2(rank + 1) for rank in range(1, min(len(relevant), depth) + 1))
    return gained / ideal if ideal else 0.0


def recall(ranking: Sequence[str], relevant: Collection[str], *, depth: int) -> float:
    """The share of relevant ids that are among the first `depth`."""
    return len(set(ranking[:depth]) & set(relevant)) / len(relevant) if relevant else 0.0


def reciprocal_rank(ranking: Sequence[str], relevant: Collection[str], *, depth: int) -> float:
    """1 / rank of the first relevant id among the first `depth`, else 0."""
    return next((1 / rank for rank, i in enumerate(ranking[:depth], 1) if i in relevant), 0.0)
