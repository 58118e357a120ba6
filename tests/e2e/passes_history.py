"""What clients and reconcile passes did to one namespace at once, and the faults that its table and
their answers show: pure functions, so that the checker itself can be tested."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from e2e.history import ACTIVE, Table

UNORDERED = 0


@dataclass(frozen=True, slots=True)
class Put:
    """A client's write of one record. `revision`: as acknowledged; None: nobody knows."""

    record_id: str
    text: str
    began: float
    ended: float
    revision: int | None


@dataclass(frozen=True, slots=True)
class PassDone:
    """A pass: the caller's R, its list, and what it answered. `applied` None: nobody knows."""

    revision: int
    active: Mapping[str, str]
    began: float
    ended: float
    applied: bool | None = None
    verified: bool | None = None
    newest: int | None = None
    clock: int = 0


@dataclass(frozen=True, slots=True)
class Hit:
    """A hit of a search that ran from `began` to `ended`."""

    record_id: str
    revision: int
    text: str
    began: float
    ended: float


@dataclass(slots=True)
class PassesHistory:
    """All that was done and seen."""

    puts: list[Put] = field(default_factory=list)
    passes: list[PassDone] = field(default_factory=list)
    hits: list[Hit] = field(default_factory=list)


def faults(history: PassesHistory, table: Table) -> list[str]:
    """Every fault, as a sentence."""
    return [
        *_broken_clock(table),
        *_lost_or_phantom(history, table),
        *_undone(history, table),
        *_misjudged(history),
        *_untrue(history, table),
    ]


def _broken_clock(table: Table) -> Iterator[str]:
    previous = 0
    for entry in sorted(table.log, key=lambda one: one.revision):
        if (entry.previous, entry.revision) != (previous, previous + 1):
            yield f"after {previous} comes {entry.revision}, which follows {entry.previous}"
        previous = entry.revision
    if previous != table.clock:
        yield f"the clock says {table.clock}, the log ends at {previous}"


def _lost_or_phantom(history: PassesHistory, table: Table) -> Iterator[str]:
    for put in history.puts:
        if put.revision is None:
            continue
        version = table.versions.get((put.record_id, put.revision))
        if version is None or version.text != put.text:
            yield f"{put.record_id}@{put.revision} was acknowledged as {put.text!r}, is {version}"
    asked = defaultdict[str, set[str]](set)
    for put in history.puts:
        asked[put.record_id].add(put.text)
    for one in history.passes:
        for record_id, text in one.active.items():
            asked[record_id].add(text)
    for (record_id, revision), version in table.versions.items():
        if version.text is not None and version.text not in asked[record_id]:
            yield f"{record_id}@{revision} says {version.text!r}, which nobody wrote"


def _undone(history: PassesHistory, table: Table) -> Iterator[str]:
    """An ordered pass that writes after a newer one has begun: going up the clock, the newest R
    that a version must be of never falls. A text that stands on several lists may be of any.
    """
    lists = defaultdict[tuple[str, str], set[int]](set)
    for one in history.passes:
        for record_id, text in one.active.items():
            lists[record_id, text].add(one.revision)
    reached = 0
    for (record_id, revision), version in sorted(table.versions.items(), key=lambda at: at[0][1]):
        of = lists.get((record_id, version.text or ""))
        if version.status != ACTIVE or not of or UNORDERED in of:
            continue
        possible = [r for r in of if r >= reached]
        if not possible:
            yield f"{record_id}@{revision} is of pass {max(of)}, after pass {reached} had written"
        else:
            reached = min(possible)


def _misjudged(history: PassesHistory) -> Iterator[str]:
    """A pass that was refused although none newer or equal can have begun, or applied although a
    newer one had ended before it began.
    """
    for one in history.passes:
        if one.applied is False and (one.newest or 0) < one.revision:
            yield f"pass {one.revision} was stale beside {one.newest}"
        if one.applied and one.revision != UNORDERED:
            newer = [
                other
                for other in history.passes
                if other.applied and other.revision > one.revision and other.ended < one.began
            ]
            if newer:
                yield f"pass {one.revision} was applied after {newer[0].revision} had ended"


def _untrue(history: PassesHistory, table: Table) -> Iterator[str]:
    """A hit whose text was not that of its revision, or that had been replaced for certain before
    its search began: somebody had been told of a later revision.
    """
    revisions = defaultdict[str, list[int]](list)
    for record_id, revision in table.versions:
        revisions[record_id].append(revision)
    told = sorted(_told(history))
    for hit in history.hits:
        version = table.versions.get((hit.record_id, hit.revision))
        if version is None or version.text != hit.text or version.status != ACTIVE:
            yield f"{hit.record_id}@{hit.revision} was found as {hit.text!r}, is {version}"
            continue
        later = [r for r in revisions[hit.record_id] if r > hit.revision]
        known = max((clock for ended, clock in told if ended < hit.began), default=0)
        if later and min(later) <= known:
            yield f"{hit.record_id}@{hit.revision} was found, {min(later)} stood before the search"


def _told(history: PassesHistory) -> Iterator[tuple[float, int]]:
    """When somebody was told that the clock had come so far."""
    for put in history.puts:
        if put.revision is not None:
            yield put.ended, put.revision
    for one in history.passes:
        if one.applied:
            yield one.ended, one.clock


def unproved(passes: Sequence[PassDone]) -> list[PassDone]:
    """Applied passes that did not prove themselves."""
    return [one for one in passes if one.applied and not one.verified]
