"""Faults of the code that the simulation has found and that are not mended yet, each tolerated by name
so that every other one is still seen. A name is taken out of `TOLERATED` when its fault is mended.
"""

import os

UNCHANGED_UNGUARDED = "unchanged operations are not guarded"
"""A commit of several operations tells of one that changes nothing what a stale read said of it."""

LATE_LEDGER = "a late ledger entry stays"
"""A slow projection puts a ledger entry after a newer one has cleared it: nothing removes it."""

UNSEEN_VECTOR = "a vector is made while it is erased"
"""The eraser does not see a vector whose transaction is not visible yet, and its mark goes."""

EARLY_MARK = "a mark is seen before its tombstone"
"""The eraser sees the mark of a forgetting, and the record still as it was: it keeps its vector."""

UNSEEN_HISTORY = "a former version is made while it is erased"
"""The eraser does not see a former version whose transaction is not wholly visible yet."""

ALL = (UNCHANGED_UNGUARDED, LATE_LEDGER, UNSEEN_VECTOR, EARLY_MARK, UNSEEN_HISTORY)
TOLERATED = frozenset(ALL) - frozenset(os.environ.get("SIMULATION_STRICT", "").split(";"))


def tolerated(name: str) -> bool:
    """Whether that fault is passed over."""
    return name in TOLERATED
