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
    made = sorted((w for w in all_writes if w.made is not None), key=lambda w: w.made or 0)
    acknowledged = {w.made for w in made}
    told = [*_clock_faults(all_writes, clock, gaps_allowed), *_order_faults(made)]
    by_record: dict[str, list[Write]] = defaultdict(list)
    for write in made:
        by_record[write.record_id].append(write)
    for chain in by_record.values():
        told += _chain_faults(chain, acknowledged)
    for write in all_writes:
        if write.found is not None:
            told += _refusal_faults(write, by_record[write.record_id], acknowledged)
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


def _chain_faults(chain: list[Write], acknowledged: set[int | None]) -> Iterable[str]:
    """Each success was granted on what stood: the acknowledged revision before it, or one after
    that which nobody acknowledged (a write whose outcome is unknown made it).
    """
    before = 0
    for write in chain:
        unknown = write.expected > before and write.expected not in acknowledged
        if write.expected != before and not unknown:
            yield (
                f"{write.record_id}: revision {write.made} was granted on {write.expected}, "
                f"and {before} stood there"
            )
        before = write.made or 0


def _refusal_faults(
    refused: Write, chain: list[Write], acknowledged: set[int | None]
) -> Iterable[str]:
    """The revision found must differ from the one expected and have stood at some moment of the
    call; of one that nobody acknowledged only the first can be told.
    """
    if refused.found == refused.expected:
        yield f"{refused.record_id}: refused with the revision that was expected"
    stood = [(0, float("-inf"))] + [(w.made or 0, w.began) for w in chain]
    ends = [w.ended for w in chain] + [float("inf")]
    for (revision, earliest), latest in zip(stood, ends, strict=True):
        if revision == refused.found:
            if refused.ended < earliest or refused.began > latest:
                yield f"{refused.record_id}: found {revision}, which did not stand then"
            return
    if refused.found in acknowledged:
        yield f"{refused.record_id}: found {refused.found}, which is another record's"
    elif refused.found == 0 or not _unacknowledged(refused.found, acknowledged):
        yield f"{refused.record_id}: found {refused.found}, which nobody made"


def _unacknowledged(revision: int | None, acknowledged: set[int | None]) -> bool:
    """Whether a revision lies in a gap of the acknowledged ones, so that an unknown write
    made it.
    """
    return revision is not None and revision not in acknowledged and bool(acknowledged)
