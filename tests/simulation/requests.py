"""What clients asked for, and what became of it as far as they were told."""

from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Literal

from simulation.truth import NEVER, Names

Guard = int | Literal["exists"] | None


class Told(Enum):
    """What the client knows of its request: nothing for sure, that it was done, that it was not."""

    NOTHING = auto()
    DONE = auto()
    REFUSED = auto()


@dataclass(frozen=True, slots=True)
class Wish:
    """One operation: its record, the text to put (None: forget it), its guard, what it replaces."""

    record_id: str
    text: str | None
    guard: Guard = None
    supersedes: tuple[str, ...] = ()


@dataclass(slots=True, eq=False)
class Request:
    """A commit under its own name `by`, repeated or not. `applied`: the revisions at which the
    table did it, in the present table; `expected` guards the clock.
    """

    by: str
    pk: str
    wishes: tuple[Wish, ...]
    expected: int | None = None
    key: str | None = None
    began: float = NEVER
    ended: float = NEVER
    told: Told = Told.NOTHING
    applied: list[int] = field(default_factory=list)

    def names(self, record_id: str) -> Names:
        """The record of that id in this request's namespace."""
        return self.pk, record_id


@dataclass(slots=True)
class Requests:
    """All requests of a run by name."""

    by_name: dict[str, Request] = field(default_factory=dict)

    def put_back(self, clocks: dict[str, int]) -> None:
        """The table has lost every commit beyond these clocks."""
        for request in self.by_name.values():
            kept = clocks.get(request.pk, 0)
            request.applied = [revision for revision in request.applied if revision <= kept]
