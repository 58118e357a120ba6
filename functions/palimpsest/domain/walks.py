"""Walks through what has changed: where one stands, and one page of it.

A walk goes through the commit log up to a revision that its first page fixes (`upto`), so what is
written meanwhile neither shifts nor doubles anything.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

from palimpsest.domain.commits import Clock
from palimpsest.domain.documents import Document
from palimpsest.domain.records import Record, Status
from palimpsest.domain.visibility import stands

T = TypeVar("T", bound=Record | Document)


class Order(StrEnum):
    """The order of a list: by the change of each record that was its newest when the walk began."""

    NEWEST = "newest"
    OLDEST = "oldest"


@dataclass(frozen=True, slots=True)
class Position:
    """Where the next page begins: the changes of the commit beside `at`, all but the first `skip`.

    Newest first, `at` is that commit's own revision; else the revision after which to read.
    """

    upto: int
    at: int
    skip: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordsWanted:
    """Which records a list shows: of a status (None: any) and a kind (None: any)."""

    status: Status | None = Status.ACTIVE
    kind: str | None = None

    def shows(self, record: Record, clock: Clock) -> bool:
        """Whether a record, as it is now, belongs on the list. A tombstone is of no kind."""
        if not stands(record, clock):
            return False
        if self.status is not None and record.status is not self.status:
            return False
        kind = record.content.kind if record.content else None
        return self.kind is None or kind == self.kind


@dataclass(frozen=True, slots=True, kw_only=True)
class WalkPage(Generic[T]):
    """Records (of the feed documents too) of one page, the walk's own revision, the purge floor,
    and where to go on (None: the end).
    """

    records: Sequence[T]
    revision: int
    floor: int
    following: Position | None
