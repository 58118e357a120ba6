"""The commits of documents: chunks are written, a document is settled or forgotten."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from palimpsest.domain.commits import (
    Change,
    Clock,
    CommitPlan,
    DocumentAttempt,
    DocumentChange,
    VectorChanges,
)
from palimpsest.domain.documents import Document, DocumentState, Generation, ObjectVersion
from palimpsest.domain.records import Record, Status

ERASED_AFTER = timedelta(seconds=60)
"""A generation stays so long after it was current: no reader that saw it so is still at work."""

BY = "ingest"


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """Of which commit: its id, when and by whom."""

    commit_id: str
    at: datetime
    by: str = BY


def plan_chunks(
    tenant: str,
    document: Document,
    records: Sequence[Record],
    clock: Clock,
    *,
    vectors: VectorChanges,
    attempt: str,
    signed: Signature,
) -> CommitPlan:
    """The transaction that writes these chunks, which are not there yet: they count for nothing
    until their generation is current.
    """
    return CommitPlan(
        tenant=tenant,
        namespace=document.namespace,
        commit_id=signed.commit_id,
        clock=clock,
        counts=clock.counts,
        changes=tuple(Change(before=None, after=record) for record in records),
        at=signed.at,
        by=signed.by,
        vectors=vectors,
        attempt=DocumentAttempt(document.id, attempt),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How an attempt ended: the state with its reason, and its generation if that has chunks."""

    state: DocumentState
    reason: str | None = None
    detail: str | None = None
    generation: Generation | None = None
    title: str | None = None


def plan_settling(
    tenant: str, document: Document, outcome: Outcome, clock: Clock, *, signed: Signature
) -> CommitPlan:
    """The transaction that settles a document: from its revision on readers see the generation of
    the outcome, or none, and no other; every other one ends.
    """
    settled = replace(
        document,
        state=outcome.state,
        reason=outcome.reason,
        detail=outcome.detail,
        title=outcome.title,
        attempt=None,
    )
    return _changed(
        tenant,
        settled,
        outcome.generation,
        clock,
        signed=signed,
        erased_from=signed.at + ERASED_AFTER,
    )


def plan_forgetting(
    tenant: str,
    document: Document,
    seen: ObjectVersion | None,
    clock: Clock,
    *,
    signed: Signature,
) -> CommitPlan:
    """The transaction that forgets a document: a tombstone stays, without its path, which knows the
    object as it was `seen`, so that this one is not read again.
    """
    tombstone = replace(
        document,
        path="",
        state=DocumentState.DELETED,
        reason=None,
        detail=None,
        title=None,
        metadata={},
        event_time=None,
        attempt=None,
        object=seen or document.object,
    )
    return _changed(tenant, tombstone, None, clock, signed=signed, erased_from=signed.at)


def _changed(
    tenant: str,
    after: Document,
    current: Generation | None,
    clock: Clock,
    *,
    signed: Signature,
    erased_from: datetime,
) -> CommitPlan:
    """The transaction after which `current` is the one generation that has not ended."""
    revision = clock.revision + 1
    ended, left = _ended(after, current, revision)
    return CommitPlan(
        tenant=tenant,
        namespace=after.namespace,
        commit_id=signed.commit_id,
        clock=clock,
        counts=_counts(clock, after.current, current),
        changes=(),
        at=signed.at,
        by=signed.by,
        document=DocumentChange(
            after=replace(
                after,
                generations=left,
                revision=revision,
                base=revision,
                updated_at=signed.at,
                writes=after.writes + 1,
            ),
            writes=after.writes,
            ended=ended,
            erased_from=erased_from,
        ),
    )


def _counts(
    clock: Clock, former: Generation | None, current: Generation | None
) -> dict[Status, int]:
    counts = dict(clock.counts)
    counts[Status.ACTIVE] += (current.chunks if current else 0) - (former.chunks if former else 0)
    return counts


def _ended(
    document: Document, current: Generation | None, revision: int
) -> tuple[tuple[int, ...], tuple[Generation, ...]]:
    """The numbers of the generations that end at a revision, and all of them as they are then."""
    ended, left = list[int](), list[Generation]()
    for one in document.generations:
        if one.until is not None:
            left.append(one)
        elif current is None or one.number != current.number:
            ended.append(one.number)
            left.append(replace(one, until=revision))
    if current is not None:
        left.append(replace(current, since=current.since or revision))
    return tuple(ended), tuple(left)
