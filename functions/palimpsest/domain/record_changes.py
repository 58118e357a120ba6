"""What one change makes of a record, and what changes make of a namespace's counts."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime

from palimpsest.domain.commits import Change, Clock
from palimpsest.domain.records import Content, Record, Status


def is_written(record: Record | None, content: Content) -> bool:
    """Whether a record that exists (None: none does) is active with exactly this content."""
    if record is None or record.status is not Status.ACTIVE or record.content is None:
        return False
    # by hash: `==` would take 1, 1.0 and True in metadata for the same value
    return record.content.content_hash == content.content_hash


def written(
    record_id: str,
    content: Content,
    *,
    before: Record | None,
    old: Record | None,
    namespace: str,
    revision: int,
    now: datetime,
) -> Record:
    """The record once `content` is put. `before` is its item, of whatever time; `old` the same if
    it exists.
    """
    return Record(
        id=record_id,
        namespace=namespace,
        revision=revision,
        status=Status.ACTIVE,
        content=content,
        created_at=old.created_at if old else now,
        updated_at=now,
        history_floor=before.history_floor if before else 0,
    )


def forgotten(old: Record, *, revision: int, now: datetime) -> Record:
    """The tombstone of a record that exists."""
    return Record(
        id=old.id,
        namespace=old.namespace,
        revision=revision,
        status=Status.DELETED,
        content=None,
        created_at=old.created_at,
        updated_at=now,
        history_floor=revision,
    )


def superseded(old: Record, *, by: str | None, revision: int, now: datetime) -> Record:
    """A record that exists once it is superseded by another one; `by` None: by no other, but by a
    reconcile whose list it was not on.
    """
    return replace(
        old, status=Status.SUPERSEDED, superseded_by=by, revision=revision, updated_at=now
    )


def counts_after(clock: Clock, changes: Iterable[Change]) -> Mapping[Status, int]:
    """A namespace's records by status after these changes."""
    counts = Counter(dict(clock.counts))
    for change in changes:
        if change.before is not None and change.before.revision > clock.floor:
            counts[change.before.status] -= 1
        counts[change.after.status] += 1
    return {status: counts[status] for status in Status}
