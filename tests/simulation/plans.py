"""What a run is to do: actors with their operations, and what may go wrong. A plan and a seed for
the schedule are the whole of a run; a plan can be cut down, and prints as a short script.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from simulation.planned_passes import Canonical, Pass, Purge

MIXED, RESTORE, CARRY_OVER = "mixed", "restore", "carry over"
RECONCILE, PURGES = "reconcile", "purges"
SCENARIOS = (MIXED, RESTORE, CARRY_OVER, RECONCILE, PURGES)

FEW = 12
PlannedGuard = Literal["seen", "absent", "exists", "none"]


@dataclass(frozen=True, slots=True)
class PlannedWish:
    """Put `text` (None: forget it), under a guard: `seen` is the revision its client last saw."""

    record_id: str
    text: str | None
    guard: PlannedGuard = "none"
    supersedes: tuple[str, ...] = ()

    def __str__(self) -> str:
        guard = "" if self.guard == "none" else f" if {self.guard}"
        if self.text is None:
            return f"forget {self.record_id}{guard}"
        instead = f" instead of {', '.join(self.supersedes)}" if self.supersedes else ""
        return f"put {self.record_id} = {self.text!r}{instead}{guard}"


@dataclass(frozen=True, slots=True)
class Send:
    """A commit. `keyed`: under an idempotency key, and repeated until its outcome is known."""

    wishes: tuple[PlannedWish, ...]
    clock_guarded: bool = False
    keyed: bool = False

    def __str__(self) -> str:
        said = "; ".join(map(str, self.wishes))
        return said + " on the clock seen" * self.clock_guarded + " under a key" * self.keyed


@dataclass(frozen=True, slots=True)
class Ask:
    """A read: `get`, `as of`, `revisions`, `newest`, `oldest`, `all`, `changes`, `receipt`, or a
    search in a `mode` with `words`. `number`: how far back, or the size of a page.
    """

    what: str
    record_id: str = ""
    words: str = ""
    number: int = 0
    waits: bool = False

    def __str__(self) -> str:
        said = (self.what, self.record_id, repr(self.words) if self.words else "")
        number = f"({self.number})" if self.number else ""
        return " ".join(filter(None, said)) + number + " and waits" * self.waits


@dataclass(frozen=True, slots=True)
class Do:
    """A step of an operator, or a sweep."""

    step: str

    def __str__(self) -> str:
        return self.step


Operation = Send | Ask | Do | Pass | Canonical | Purge


@dataclass(frozen=True, slots=True)
class PlannedActor:
    """One actor of a kind, in a namespace of a tenant."""

    kind: str
    tenant: str
    namespace: str
    operations: tuple[Operation, ...]

    @property
    def pk(self) -> str:
        return f"{self.tenant}#{self.namespace}"


@dataclass(frozen=True, slots=True)
class Plan:
    """A run. `without`: the kinds of faults, and the ports, that have none."""

    scenario: str
    actors: tuple[PlannedActor, ...]
    without: tuple[str, ...] = ()
    following: bool = field(default=False)

    def __str__(self) -> str:
        few = f", without {', '.join(self.without)}" if self.without else ""
        lines = [self.scenario + (few if len(self.without) < FEW else ", without faults")]
        for number, actor in enumerate(self.actors):
            lines.append(f"  {actor.kind} {number} in {actor.pk}")
            lines += [f"    {operation}" for operation in actor.operations]
        return "\n".join(lines)

    @property
    def size(self) -> int:
        """How many operations it has."""
        return sum(len(actor.operations) for actor in self.actors)

    def smaller(self, harmless: Sequence[str]) -> Iterator["Plan"]:
        """Plans with less in them: an actor, a kind of fault, or an operation."""
        for place in range(len(self.actors)):
            yield replace(self, actors=self.actors[:place] + self.actors[place + 1 :])
        if set(harmless) - set(self.without):
            yield replace(self, without=tuple(harmless))
        for place, actor in enumerate(self.actors):
            for less in _less(actor):
                actors = (*self.actors[:place], less, *self.actors[place + 1 :])
                yield replace(self, actors=actors)
        for fault in harmless:
            if fault not in self.without:
                yield replace(self, without=(*self.without, fault))


def _less(actor: PlannedActor) -> Iterator[PlannedActor]:
    """The same actor with half of its operations, one less, or a simpler one."""
    several, half = actor.operations, len(actor.operations) // 2
    if half > 1:
        yield replace(actor, operations=several[:half])
        yield replace(actor, operations=several[half:])
    for place, one in enumerate(several):
        without = several[:place] + several[place + 1 :]
        if without:
            yield replace(actor, operations=without)
        for simpler in _simpler(one):
            yield replace(actor, operations=(*several[:place], simpler, *several[place + 1 :]))


def _simpler(operation: Operation) -> Iterator[Operation]:
    if isinstance(operation, Pass | Canonical | Purge):
        yield from operation.simpler()
    if not isinstance(operation, Send):
        return
    if operation.keyed or operation.clock_guarded:
        yield replace(operation, keyed=False, clock_guarded=False)
    for place, wish in enumerate(operation.wishes):
        others = operation.wishes[:place] + operation.wishes[place + 1 :]
        if others:
            yield replace(operation, wishes=others)
        if wish.supersedes or wish.guard != "none":
            plain = replace(wish, supersedes=(), guard="none")
            wishes = (*operation.wishes[:place], plain, *operation.wishes[place + 1 :])
            yield replace(operation, wishes=wishes)
