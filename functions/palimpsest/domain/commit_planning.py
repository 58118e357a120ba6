"""What a commit will do: guards, supersession and counts, as a pure function of the state it was
planned on.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from palimpsest.domain.commits import Change, Clock, CommitPlan
from palimpsest.domain.errors import (
    InvalidRequest,
    NotFound,
    OperationConflict,
    RevisionConflict,
)
from palimpsest.domain.idempotency import KEPT_FOR, Applied, IdempotencyKey, Outcome
from palimpsest.domain.record_changes import (
    counts_after,
    forgotten,
    is_written,
    superseded,
    written,
)
from palimpsest.domain.records import Content, Record, Status
from palimpsest.domain.visibility import exists

EXISTS: Literal["exists"] = "exists"
Guard = int | Literal["exists"] | None
"""What must be found: a revision (0: nothing), `EXISTS` for anything, None for no guard."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """Put `content` under `id`, or forget `id` where content is None. `loc` is its place in the
    request.
    """

    id: str
    content: Content | None
    guard: Guard = None
    loc: tuple[str | int, ...] = ("body",)


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """The outcomes with the records after them, in the order of the operations, and the transaction
    that brings them about (None: nothing changes).
    """

    revision: int
    outcomes: tuple[Outcome, ...]
    records: tuple[Record, ...]
    plan: CommitPlan | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitRequest:
    """One commit as it was asked for. `expected_revision` guards the namespace's clock."""

    tenant: str
    namespace: str
    operations: Sequence[Operation]
    by: str
    expected_revision: int | None = None
    idempotency: IdempotencyKey | None = None

    @property
    def touched(self) -> list[str]:
        """Every id that planning must know, each once."""
        ids: dict[str, None] = {}
        for operation in self.operations:
            ids[operation.id] = None
            for replaced in operation.content.supersedes if operation.content else ():
                ids[replaced] = None
        return list(ids)


def plan_commit(
    request: CommitRequest,
    clock: Clock,
    records: Mapping[str, Record],
    *,
    now: datetime,
    commit_id: str,
) -> Planned:
    """The plan of `request` on this state. Guards are looked at first, all of them.

    Raises `RevisionConflict` (with every guard that failed), `NotFound` for forgetting what is not
    there, `InvalidRequest` for superseding what is not there.
    """
    found = {i: r for i, r in records.items() if exists(r, clock)}
    _check_guards(request, clock, found)
    outcomes, after, changes = _outcome(
        request, records, found, revision=clock.revision + 1, now=now
    )
    if not changes:
        return Planned(revision=clock.revision, outcomes=outcomes, records=after, plan=None)
    plan = CommitPlan(
        tenant=request.tenant,
        namespace=request.namespace,
        commit_id=commit_id,
        clock=clock,
        counts=counts_after(clock, changes.values()),
        changes=tuple(changes.values()),
        unchanged=_unchanged(request, outcomes, found, changes),
        at=now,
        by=request.by,
        keep=kept_of(request, clock.revision + 1, outcomes, now=now),
    )
    return Planned(revision=plan.revision, outcomes=outcomes, records=after, plan=plan)


def _unchanged(
    request: CommitRequest,
    outcomes: tuple[Outcome, ...],
    found: Mapping[str, Record],
    changes: Mapping[str, Change],
) -> tuple[tuple[str, int], ...]:
    """The records that the commit leaves as they are: what was to be put and is there already, and
    what was to be superseded and is.
    """
    left = {o.id: o.revision for o in outcomes if not o.changed}
    left |= {i: found[i].revision for i in request.touched if i in found and i not in changes}
    return tuple(left.items())


def kept_of(
    request: CommitRequest, revision: int, outcomes: tuple[Outcome, ...], *, now: datetime
) -> Applied | None:
    """What is kept under the request's idempotency key; None if it has none."""
    key = request.idempotency
    if key is None:
        return None
    return Applied(key=key, until=now + KEPT_FOR, revision=revision, outcomes=outcomes)


def _outcome(
    request: CommitRequest,
    records: Mapping[str, Record],
    found: Mapping[str, Record],
    *,
    revision: int,
    now: datetime,
) -> tuple[tuple[Outcome, ...], tuple[Record, ...], dict[str, Change]]:
    """What becomes of each operation, the record after it, and all that changes, by id."""
    changes: dict[str, Change] = {}
    outcomes: list[Outcome] = []
    records_after: list[Record] = []
    for operation in request.operations:
        before, old = records.get(operation.id), found.get(operation.id)
        after = _after(operation, before, old, request.namespace, revision=revision, now=now)
        changed = after.revision == revision
        if changed:
            changes[operation.id] = Change(before=before, after=after)
        records_after.append(after)
        outcomes.append(
            Outcome(id=operation.id, revision=after.revision, changed=changed, created=old is None)
        )
        gone_is_fine = not changed  # a put repeated as it was, whatever was forgotten since
        for replaced in _superseded(
            operation, found, revision=revision, now=now, gone_is_fine=gone_is_fine
        ):
            changes[replaced.id] = Change(before=records[replaced.id], after=replaced)
    return tuple(outcomes), tuple(records_after), changes


def _check_guards(request: CommitRequest, clock: Clock, found: Mapping[str, Record]) -> None:
    failed = []
    for operation in request.operations:
        revision = found[operation.id].revision if operation.id in found else 0
        if operation.guard is None or operation.guard == revision:
            continue
        if operation.guard == EXISTS and revision:
            continue
        expected = operation.guard if isinstance(operation.guard, int) else 1
        failed.append(OperationConflict(operation.id, expected, revision))
    stale = request.expected_revision not in (None, clock.revision)
    if failed or stale:
        what = "the namespace has moved on" if stale else "a record is not at the revision expected"
        raise RevisionConflict(what, current_revision=clock.revision, operations=failed)


def _after(
    operation: Operation,
    before: Record | None,
    old: Record | None,
    namespace: str,
    *,
    revision: int,
    now: datetime,
) -> Record:
    content = operation.content
    if content is None:
        if old is None:
            raise NotFound("no such record")
        return forgotten(old, revision=revision, now=now)
    if old is not None and is_written(old, content):
        return old
    return written(
        operation.id,
        content,
        before=before,
        old=old,
        namespace=namespace,
        revision=revision,
        now=now,
    )


def _superseded(
    operation: Operation,
    found: Mapping[str, Record],
    *,
    revision: int,
    now: datetime,
    gone_is_fine: bool,
) -> list[Record]:
    changed = []
    for index, old in enumerate(operation.content.supersedes if operation.content else ()):
        record = found.get(old)
        if record is None and gone_is_fine:
            continue
        if record is None:
            loc = (*operation.loc, "supersedes", index)
            raise InvalidRequest.one(*loc, msg="no such record to supersede", kind="unknown_id")
        if record.status is Status.SUPERSEDED and record.superseded_by == operation.id:
            continue
        changed.append(superseded(record, by=operation.id, revision=revision, now=now))
    return changed
