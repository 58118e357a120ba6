"""Commits: the clock of a namespace, the log, and the plan of one transaction."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from palimpsest.domain.documents import Document
from palimpsest.domain.idempotency import Applied
from palimpsest.domain.jobs import Job
from palimpsest.domain.records import Record, Status
from palimpsest.domain.vectors import Vector


@dataclass(frozen=True, slots=True, kw_only=True)
class Clock:
    """A namespace's clock: its revision, its records by status, the purge floor and its time."""

    revision: int = 0
    counts: Mapping[Status, int] = field(default_factory=dict)
    floor: int = 0
    purged_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LogEntry:
    """One commit in the log: no content, only which records it changed, and the revision that each
    of them had `before` (0: none). `previous` is the entry before. `document_id`: the document
    whose generations it changed.
    """

    revision: int
    previous: int
    commit_id: str
    record_ids: tuple[str, ...]
    at: datetime
    before: tuple[int, ...] = ()
    document_id: str | None = None

    def revision_before(self, record_id: str) -> int:
        """The revision that a record of this commit had before it; 0 if none."""
        return dict(zip(self.record_ids, self.before, strict=False)).get(record_id, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One record before (None: no item yet) and after a commit."""

    before: Record | None
    after: Record


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorChanges:
    """What a commit does to the held vectors of its records: `made`, by id the hash of the embedded
    text and its vector by one model (`fingerprint`); those of `retired` ids go, for the models
    `of`.
    """

    fingerprint: str
    made: Mapping[str, tuple[str, Vector]] = field(default_factory=dict)
    retired: tuple[str, ...] = ()
    of: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentChange:
    """What a commit does to a document: `after` replaces the one that had made so many `writes`
    (None: there was none), which must still stand. `ended`: generations that are to be erased, not
    before `erased_from`.
    """

    after: Document
    writes: int | None
    ended: tuple[int, ...] = ()
    erased_from: datetime


@dataclass(frozen=True, slots=True)
class DocumentAttempt:
    """Who writes chunks of a document: true only while nobody else is at work on it."""

    document_id: str
    attempt: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitPlan:
    """Everything one transaction will do, planned on `clock`; true only if nothing has changed
    since, nor any of the `unchanged` records (id and revision), of which it tells too.

    With `jump_to`, a revision beyond the next, it is a recorded jump: `changes` is empty. `keep`:
    what is kept of it under its idempotency key. With a `fence` it is applied only while the
    namespace's fence bears that attempt. A commit that `purges` sets the floor at its own revision
    and replaces the fence's attempt by its own id; `job` is begun in it. One that writes chunks
    carries its `attempt` on their document; one that changes a document's generations, `document`.
    """

    tenant: str
    namespace: str
    commit_id: str
    clock: Clock
    counts: Mapping[Status, int]
    changes: tuple[Change, ...]
    at: datetime
    by: str
    unchanged: tuple[tuple[str, int], ...] = ()
    jump_to: int | None = None
    keep: Applied | None = None
    fence: str | None = None
    vectors: VectorChanges | None = None
    purges: bool = False
    job: Job | None = None
    attempt: DocumentAttempt | None = None
    document: DocumentChange | None = None

    @property
    def revision(self) -> int:
        """The revision this commit makes: the next, or the one it jumps to."""
        return self.clock.revision + 1 if self.jump_to is None else self.jump_to


@dataclass(frozen=True, slots=True)
class Erasure:
    """A forgetting whose traces are still to be erased: the id, and the revision that forgot it."""

    record_id: str
    revision: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Remains:
    """What the table still holds of a forgotten id: items of history, vectors, ledger entries, and
    erasures still to be done.
    """

    history: int
    vectors: int
    ledger: int
    erasures: int
