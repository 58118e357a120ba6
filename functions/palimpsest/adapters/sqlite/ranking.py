"""The first candidates of a leg: score descending, rounded to 1e-9, then id ascending."""

import heapq
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

DIGITS = 9


def first(
    slots: npt.NDArray[np.integer],
    scores: npt.NDArray[np.floating],
    *,
    ids: Sequence[str],
    depth: int,
) -> list[tuple[int, float]]:
    """At most `depth` (slot, rounded score) pairs in their order."""
    rounded = np.round(scores, DIGITS) + 0.0  # no negative zero
    if slots.size > depth:
        least = np.partition(rounded, slots.size - depth)[slots.size - depth]
        kept = rounded >= least
        slots, rounded = slots[kept], rounded[kept]
    pairs = zip(slots.tolist(), rounded.tolist(), strict=True)
    return heapq.nsmallest(depth, pairs, key=lambda pair: (-pair[1], ids[pair[0]]))
