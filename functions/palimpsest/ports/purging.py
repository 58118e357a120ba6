"""What purging needs of the canonical table: everything at or below a namespace's floor goes."""

from collections.abc import Iterator, Mapping
from typing import Protocol


class NamespaceErasure(Protocol):
    """The items of a namespace that are at or below its floor, which no read shows any more."""

    def ids(self, tenant: str, namespace: str, *, floor: int) -> Iterator[str]:
        """The ids of the records that are still there, in order."""
        ...

    def erase(self, tenant: str, namespace: str, *, floor: int, limit: int) -> int:
        """Erase at most about `limit` items: histories, vectors, erasures and ledger entries
        first, then the records that name them; how many there were. 0: nothing is left. What was
        written above the floor meanwhile stays.
        """
        ...

    def remains(self, tenant: str, namespace: str, *, floor: int) -> Mapping[str, int]:
        """How many items of each kind are left: `records`, `history`, `vectors`, `ledger`,
        `erasures`, `documents` and `marks` of work on them.
        """
        ...
