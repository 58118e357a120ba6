"""Commits: the clock of a namespace, the log, and the plan of one transaction."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from palimpsest.domain.records import Record, Status


@dataclass(frozen=True, slots=True, kw_only=True)
class Clock:
    """A namespace's clock: its revision, its records by status, and the purge floor."""

    revision: int = 0
    counts: Mapping[Status, int] = field(default_factory=dict)
    floor: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class LogEntry:
    """One commit in the log: no content, only which records it changed. `previous` is the entry
    before.
    """

    revision: int
    previous: int
    commit_id: str
    record_ids: tuple[str, ...]
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One record before (None: no item yet) and after a commit."""

    before: Record | None
    after: Record


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitPlan:
    """Everything one transaction will do, planned on `clock`; true only if nothing has changed
    since.
    """

    tenant: str
    namespace: str
    commit_id: str
    clock: Clock
    counts: Mapping[Status, int]
    changes: tuple[Change, ...]
    at: datetime
    by: str

    @property
    def revision(self) -> int:
        """The revision this commit makes."""
        return self.clock.revision + 1


@dataclass(frozen=True, slots=True)
class Erasure:
    """A forgetting whose traces are still to be erased: the id, and the revision that forgot it."""

    record_id: str
    revision: int
