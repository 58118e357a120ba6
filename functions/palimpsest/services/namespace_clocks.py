"""The clocks of the namespaces that a search asks, and how far the index is with each."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from palimpsest.domain.commits import Clock as NamespaceClock
from palimpsest.domain.ledger import Progress
from palimpsest.domain.queries import Revisions
from palimpsest.ports import Clock, Executor, IndexLedger, RecordStore
from palimpsest.services.in_time import in_time
from palimpsest.services.side_by_side import side_by_side

T = TypeVar("T")
STAGE = "table"


@dataclass(frozen=True, slots=True)
class ClocksRead:
    """By namespace, its clock and how far the index `generation` was; no clock was read after any
    of the latter.
    """

    generation: str
    clocks: Mapping[str, NamespaceClock]
    indexed: Mapping[str, Progress]

    @property
    def revisions(self) -> dict[str, Revisions]:
        """What an answer tells of them."""
        return {
            name: Revisions(clock.revision, min(self.indexed[name].revision, clock.revision))
            for name, clock in self.clocks.items()
        }

    @property
    def lagging(self) -> dict[str, int]:
        """The namespaces whose projection is due, each with its clock's revision."""
        return {
            name: clock.revision
            for name, clock in self.clocks.items()
            if self.indexed[name].revision < clock.revision
        }

    def reached(self, revision: int) -> bool:
        """Whether the index has that revision of every namespace."""
        return all(progress.revision >= revision for progress in self.indexed.values())

    @property
    def building(self) -> bool:
        """Whether the index is short of what some namespace held when this generation was begun."""
        return any(
            self.indexed[name].building(clock.revision) for name, clock in self.clocks.items()
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class NamespaceClocks:
    """Reads them; those of several namespaces side by side."""

    store: RecordStore
    ledger: IndexLedger
    executor: Executor
    clock: Clock

    def read(
        self, tenant: str, namespaces: Sequence[str], *, generation: str, until: float
    ) -> ClocksRead:
        """All clocks first, then how far that index `generation` is. Raises `DeadlineExceeded`
        where the table has not answered by then (monotonic seconds).
        """
        if len(namespaces) == 1:  # both reads in one turn
            return self._of_one(tenant, namespaces[0], generation, until)

        def each(work: Callable[[str], T]) -> dict[str, T]:
            return side_by_side(
                self.executor, work, namespaces, clock=self.clock, until=until, stage=STAGE
            )

        clocks = each(lambda name: self.store.read(tenant, name)[0])
        indexed = each(lambda name: self.ledger.progress(tenant, name, generation))
        return ClocksRead(generation, clocks, indexed)

    def _of_one(self, tenant: str, namespace: str, generation: str, until: float) -> ClocksRead:
        def read() -> ClocksRead:
            clock = self.store.read(tenant, namespace)[0]
            progress = self.ledger.progress(tenant, namespace, generation)
            return ClocksRead(generation, {namespace: clock}, {namespace: progress})

        timeout = max(0.0, until - self.clock.monotonic())
        return in_time(self.executor.submit(read), timeout=timeout, stage=STAGE)
