"""What services need to walk through what has changed: the commit log, former versions, the
directory of namespaces. All reads are strongly consistent.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from palimpsest.domain.commits import Clock, LogEntry
from palimpsest.domain.records import Record

Version = tuple[str, int]
"""A record id and one of its revisions."""


class Former(NamedTuple):
    """A former version of a record, and the revision that replaced it."""

    record: Record
    replaced_by: int


class CommitLog(Protocol):
    """The commit log of a namespace backward (`RecordStore.log` reads it forward), and the
    versions it names.
    """

    def descending(self, tenant: str, namespace: str, *, upto: int, limit: int) -> list[LogEntry]:
        """The entries from the one of revision `upto` downward, only as far as the log is unbroken:
        empty where that one cannot be seen (yet).
        """
        ...

    def at(self, tenant: str, namespace: str, revisions: Collection[int]) -> dict[int, LogEntry]:
        """The entries of these revisions, those that are there."""
        ...

    def replaced(
        self, tenant: str, namespace: str, versions: Collection[Version]
    ) -> dict[Version, int]:
        """Of former versions, the revisions that replaced them; those that were erased are not in
        it.
        """
        ...

    def former(
        self, tenant: str, namespace: str, record_id: str, *, below: int, limit: int | None = None
    ) -> Iterator[Former]:
        """The former versions of a record before revision `below`, newest first, at most `limit`,
        those not erased and seen already; read only as far as they are asked for.
        """
        ...

    def oldest_former(
        self, tenant: str, namespace: str, record_id: str, *, above: int, upto: int
    ) -> int | None:
        """The revision of the oldest former version after revision `above`, up to `upto` (which is
        greater), of those that are seen.
        """
        ...


class Directory(Protocol):
    """Which namespaces a tenant has ever written to."""

    def names(self, tenant: str, *, after: str, limit: int) -> list[str]:
        """The names after one, in order."""
        ...

    def clocks(self, tenant: str, names: Sequence[str]) -> Mapping[str, Clock]:
        """The clocks of these namespaces."""
        ...
