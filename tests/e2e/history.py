"""A history of guarded writes on one namespace, and the check that it could have happened one by
one.

Every record is a register under compare-and-set: a success names the revision it made, a refusal
the revision it found. The namespace's clock orders all successes, so the check is exact and needs
no search.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Write:
    """One write: the revision expected (0: absent), when it began and ended (seconds), and its
    outcome: `made` is the revision it made, `found` the one that refused it (0: absent), both
    None if unknown.
    """

    record_id: str
    expected: int
    began: float
    ended: float
    made: int | None = None
    found: int | None = None


def faults(writes: Iterable[Write], *, clock: int, gaps_allowed: int = 0) -> list[str]:
    """What is wrong with a history on a namespace whose clock ended at `clock`; empty if nothing
    is.

    Of writes with an unknown outcome at most `gaps_allowed` may have made a revision.
    """
    all_writes = list(writes)
    told = list(_clock_faults(all_writes, clock, gaps_allowed))
    made = sorted((w for w in all_writes if w.made is not None), key=lambda w: w.made or 0)
    told += _order_faults(made)
    by_record: dict[str, list[Write]] = defaultdict(list)
    for write in made:
        by_record[write.record_id].append(write)
    if gaps_allowed == 0:
        told += [fault for chain in by_record.values() for fault in _chain_faults(chain)]
    told += [
        fault
        for write in all_writes
        if write.found is not None
        for fault in _refusal_faults(write, by_record[write.record_id], gaps_allowed)
    ]
    return told


def _clock_faults(writes: list[Write], clock: int, gaps_allowed: int) -> Iterable[str]:
    revisions = sorted(w.made for w in writes if w.made is not None)
    if len(revisions) != len(set(revisions)):
        yield "a revision was given out twice"
    missing = set(range(1, clock + 1)) - set(revisions)
    if len(missing) > gaps_allowed:
        yield f"revisions that nobody made: {sorted(missing)[:10]}"
    if revisions and revisions[-1] > clock:
        yield f"an acknowledged revision {revisions[-1]} above the clock {clock}: a write was lost"


def _order_faults(made: list[Write]) -> Iterable[str]:
    latest_start = float("-inf")
    for write in made:  # by revision: none may have ended before one with a smaller revision began
        if write.ended < latest_start:
            yield f"revision {write.made} ended before an earlier one began"
        latest_start = max(latest_start, write.began)


def _chain_faults(chain: list[Write]) -> Iterable[str]:
    before = 0
    for write in chain:
        if write.expected != before:
            yield (
                f"{write.record_id}: revision {write.made} was granted on {write.expected}, "
                f"and {before} stood there"
            )
        before = write.made or 0


def _refusal_faults(refused: Write, chain: list[Write], gaps_allowed: int) -> Iterable[str]:
    """The revision found must differ from the one expected and have stood at some moment of the
    call.
    """
    if refused.found == refused.expected:
        yield f"{refused.record_id}: refused with the revision that was expected"
    if gaps_allowed:
        return
    stood = [(0, float("-inf"))] + [(w.made or 0, w.began) for w in chain]
    ends = [w.ended for w in chain] + [float("inf")]
    for (revision, earliest), latest in zip(stood, ends, strict=True):
        if revision == refused.found:
            if refused.ended < earliest or refused.began > latest:
                yield f"{refused.record_id}: found {revision}, which did not stand then"
            return
    yield f"{refused.record_id}: found {refused.found}, which nobody made"
