"""Invariants of walks: what stood unchanged all the while is on it exactly once, and everything on
it was so at some moment of the walk.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from palimpsest.domain.records import Record
from simulation.read_invariants import shows
from simulation.scheduling import Violated
from simulation.truth import ABSENT, Truth, Version


@dataclass(frozen=True, slots=True)
class Walk:
    """A walk from its first page to its end, up to a revision of the namespace."""

    pk: str
    began: float
    ended: float
    upto: int
    records: Sequence[Record]


def check_list(walk: Walk, truth: Truth, *, status: str | None) -> None:
    """A list of the records of a status (None: any)."""
    _check_shown(walk, truth)
    wanted = {
        record_id
        for record_id, version in _unchanged(walk, truth).items()
        if version.status == status or status is None
    }
    missing = wanted - {record.id for record in walk.records}
    if missing:
        raise Violated("lists", f"{walk} lacks {sorted(missing)}")
    wrong = [r for r in walk.records if status is not None and r.status.value != status]
    if wrong:
        raise Violated("lists", f"{walk} shows {wrong}")


def check_feed(walk: Walk, truth: Truth, *, since: int) -> None:
    """The change feed after a revision."""
    _check_shown(walk, truth)
    changed = {
        record_id: version.revision
        for record_id, version in _unchanged(walk, truth).items()
        if since < version.revision <= walk.upto
    }
    found = {record.id: record.revision for record in walk.records}
    missing = {i: revision for i, revision in changed.items() if found.get(i) != revision}
    if missing:
        raise Violated("change feed", f"{walk} since {since} lacks {missing}")
    revisions = [record.revision for record in walk.records]
    outside = [one for one in revisions if not since < one <= walk.upto]
    if outside or revisions != sorted(revisions):
        raise Violated("change feed", f"{walk} since {since}: {revisions}")


def _check_shown(walk: Walk, truth: Truth) -> None:
    clocks = truth.ticked(walk.pk, walk.began, walk.ended)
    if walk.upto not in clocks:
        raise Violated("walks", f"{walk}: the clock was one of {clocks}")
    twice = [i for i, number in Counter(record.id for record in walk.records).items() if number > 1]
    if twice:
        raise Violated("walks", f"{walk} shows {twice} twice")
    for record in walk.records:
        seen = truth.seen((walk.pk, record.id), walk.began, walk.ended)
        if not any(shows(record, version) for version in seen):
            raise Violated("walks", f"{walk}: {record} was never so, but {seen}")


def _unchanged(walk: Walk, truth: Truth) -> dict[str, Version]:
    """The records that were the same from the beginning of a walk to its end, and long enough."""
    found = {}
    for record_id, now in truth.records(walk.pk):
        if now.status == ABSENT:
            continue
        seen = truth.seen((walk.pk, record_id), walk.began, walk.ended)
        if seen == [now] and 0 < now.revision <= walk.upto and now.visible < walk.began:
            found[record_id] = now
    return found
