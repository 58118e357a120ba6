"""Reconcile passes: the fence that orders them, and what one commit of a pass does.

A pass is ordered by the caller's revision R and begins by replacing the namespace's fence. From
then on no commit of an earlier pass can be applied, whatever its timing: each carries its attempt
as a condition on the fence.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from palimpsest.domain.commits import Change, Clock, CommitPlan, VectorChanges
from palimpsest.domain.errors import PalimpsestError
from palimpsest.domain.planning import ChangeKind
from palimpsest.domain.record_changes import (
    counts_after,
    forgotten,
    is_written,
    superseded,
    written,
)
from palimpsest.domain.records import Content, Record, Status
from palimpsest.domain.vectors import Vector
from palimpsest.domain.visibility import exists

UNORDERED = 0
MAX_REVISION = 2**53 - 1


@dataclass(frozen=True, slots=True)
class Fence:
    """A namespace's fence: the newest R begun, the attempt that may write, the newest R applied."""

    begun: int = 0
    attempt: str = ""
    applied: int = 0

    def refuses(self, revision: int) -> bool:
        """Whether a pass of that R is too old to begin."""
        return revision != UNORDERED and revision < self.begun


class Displaced(PalimpsestError):
    """Another pass, or a purge, has begun since this one did: it cannot write anything more.
    `newest` is the newest R begun.
    """

    def __init__(self, newest: int) -> None:
        super().__init__("another pass has begun")
        self.newest = newest


@dataclass(frozen=True, slots=True, kw_only=True)
class Pass:
    """One pass that has begun. `base`: the namespace's clock as it began, `floor` its purge floor
    then. `forget`: what is not on the list is forgotten instead of superseded.
    """

    tenant: str
    namespace: str
    revision: int
    attempt: str
    base: int
    floor: int
    forget: bool
    by: str


@dataclass(frozen=True, slots=True)
class PlannedChange:
    """One record's change: it gets `content`, or leaves the active ones (None)."""

    kind: ChangeKind
    id: str
    content: Content | None = None


@dataclass(frozen=True, slots=True)
class Prepared:
    """The vectors made for a page, by id with the hash of what was embedded; how many calls that
    took; whether all texts were tried.
    """

    vectors: Mapping[str, tuple[str, Vector]] = field(default_factory=dict)
    calls: int = 0
    complete: bool = True


def plan_pass_commit(
    one: Pass,
    changes: Sequence[PlannedChange],
    clock: Clock,
    records: Mapping[str, Record],
    *,
    vectors: Mapping[str, tuple[str, Vector]],
    models: Sequence[str],
    now: datetime,
    commit_id: str,
) -> CommitPlan | None:
    """The transaction of `changes` on this state; None where nothing is left to do, as after it was
    applied. What clients have changed otherwise since the pass began is left as it is.

    `vectors` are those of the texts by id (with the hash of what was embedded), made by the first
    of `models`; those of records that leave go, whatever model made them. Raises `Displaced` if the
    namespace was purged since the pass began.
    """
    if clock.floor > one.floor:
        raise Displaced(one.revision)
    done = _done(one, changes, clock, records, now=now)
    if not done:
        return None
    return CommitPlan(
        tenant=one.tenant,
        namespace=one.namespace,
        commit_id=commit_id,
        clock=clock,
        counts=counts_after(clock, done.values()),
        changes=tuple(done.values()),
        at=now,
        by=one.by,
        fence=one.attempt,
        vectors=VectorChanges(
            fingerprint=models[0],
            made={i: vectors[i] for i in done if i in vectors},
            retired=tuple(i for i, c in done.items() if c.after.status is not Status.ACTIVE),
            of=tuple(models),
        ),
    )


def _done(
    one: Pass,
    changes: Sequence[PlannedChange],
    clock: Clock,
    records: Mapping[str, Record],
    *,
    now: datetime,
) -> dict[str, Change]:
    """By id, what is still to be done of these changes on this state."""
    revision, done = clock.revision + 1, dict[str, Change]()
    for change in changes:
        before = records.get(change.id)
        old = before if before is not None and exists(before, clock) else None
        if before is not None and before.revision > one.base:
            continue
        after = _after(one, change, before, old, revision=revision, now=now)
        if after is not None:
            done[change.id] = Change(before=before, after=after)
    return done


def _after(
    one: Pass,
    change: PlannedChange,
    before: Record | None,
    old: Record | None,
    *,
    revision: int,
    now: datetime,
) -> Record | None:
    """The record after its change; None where that is done, or there is nothing to remove."""
    if change.content is not None:
        if is_written(old, change.content):
            return None
        return written(
            change.id,
            change.content,
            before=before,
            old=old,
            namespace=one.namespace,
            revision=revision,
            now=now,
        )
    if old is None or old.status is not Status.ACTIVE:
        return None
    if one.forget:
        return forgotten(old, revision=revision, now=now)
    return superseded(old, by=None, revision=revision, now=now)
