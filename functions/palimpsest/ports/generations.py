"""What an operator's services need of an index that can be carried over to another one."""

from datetime import datetime
from typing import Protocol

from palimpsest.domain.generations import Generation
from palimpsest.ports.finding import SearchIndex


class IndexGenerations(Protocol):
    """The generations of one stack's index. Every method raises `Unavailable` where the engine
    cannot answer.
    """

    @property
    def schema(self) -> int:
        """The mapping and analysis that a generation made now would have."""
        ...

    def kept(self) -> list[Generation]:
        """All that stand, oldest first. At most one is read."""
        ...

    def create(self, number: int, *, fingerprint: str, dimension: int) -> Generation:
        """Make that number's generation, empty and not read; where it stands already, leave it as
        it is. Of several that make it at once one does, and all get the same.
        """
        ...

    def read_from(self, new: Generation, *, old: Generation | None) -> None:
        """From now on `new` is read instead of `old` (None: the first), for every reader at once.
        Raises `Unavailable` and changes nothing where `old` is not the one that is read.
        """
        ...

    def drop(self, one: Generation) -> None:
        """Remove a generation that is not read; one that is gone already is fine."""
        ...

    def tidy(self, one: Generation, *, before: datetime) -> int:
        """Remove the tombstone entries that were written before an instant, and what is left of
        replaced entries on disk; how many were removed. Later than any late write can come, no
        tombstone is needed any more.
        """
        ...

    def index(self, one: Generation) -> SearchIndex:
        """That generation's index, whether it is read or not."""
        ...


class GenerationItems(Protocol):
    """What the canonical table keeps for one generation of the index."""

    def remove(
        self, tenant: str, namespace: str, *, generation: str, fingerprint: str | None
    ) -> int:
        """Remove a namespace's progress and ledger of that generation and, if a `fingerprint` is
        given, all vectors of that model; how many items were to go. May be repeated.
        """
        ...
