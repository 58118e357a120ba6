"""The first candidates of a leg: score descending, rounded to 1e-9, then id, then partition."""

import heapq
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

DIGITS = 9


@dataclass(frozen=True, slots=True)
class Scored:
    """What was found in one partition: slots and their scores; `ids` by slot."""

    partition: str
    ids: Sequence[str]
    slots: npt.NDArray[np.integer]
    scores: npt.NDArray[np.floating]


def first(found: Sequence[Scored], *, depth: int) -> list[tuple[int, int, float]]:
    """At most `depth` candidates in their order: place in `found`, slot, rounded score."""
    rounded = [np.round(one.scores, DIGITS) + 0.0 for one in found]  # no negative zero
    least = _least(rounded, depth=depth)
    rows: list[tuple[float, str, str, int, int]] = []
    for place, (one, scores) in enumerate(zip(found, rounded, strict=True)):
        slots = one.slots
        if least is not None:
            kept = scores >= least
            slots, scores = slots[kept], scores[kept]  # noqa: PLW2901 - the same, cut
        rows.extend(
            (-score, one.ids[slot], one.partition, place, slot)
            for slot, score in zip(slots.tolist(), scores.tolist(), strict=True)
        )
    return [(place, slot, -score) for score, _, _, place, slot in heapq.nsmallest(depth, rows)]


def _least(scores: Sequence[npt.NDArray[np.floating]], *, depth: int) -> float | None:
    """The score of the last that is among the first `depth`; None if all are."""
    size = sum(one.size for one in scores)
    if size <= depth:
        return None
    return float(np.partition(np.concatenate(scores), size - depth)[size - depth])
