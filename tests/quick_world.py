"""A world over a table in memory, for tests that run a pass some hundred times; on request its
transactions are seen half for a while."""

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from palimpsest.services.embed_records import RecordEmbedding
from reconcile_world import ReconcileWorld
from simulation.faults import Faults
from simulation.gate import Gate
from simulation.scheduling import Scheduler
from simulation.table import Item, Table, UnderWay
from simulation.table_client import SimulatedTableClient
from simulation.table_transactions import Transactions
from world import NAMESPACE, TENANT, MovableClock, World

TABLE = "table"
PARTITION = f"{TENANT}#{NAMESPACE}"


PORTS = (
    "store",
    "fences",
    "log",
    "scan",
    "ledger",
    "vectors",
    "register",
    "erasure",
    "objects",
    "jobs",
    "index",
    "embedder",
)


@dataclass(frozen=True, slots=True)
class Watched:
    """A port each call of which is told, by its name, before it is made."""

    port: Any
    name: str
    told: Callable[[str], None]

    def __getattr__(self, member: str) -> Any:
        found = getattr(self.port, member)
        if not callable(found):
            return found

        def call(*arguments: Any, **named: Any) -> Any:
            self.told(f"{self.name}.{member}")
            return found(*arguments, **named)

        return call


class ShownLate(Transactions):
    """With `late`, what a transaction writes becomes visible one item at a time, some of it only
    after its writer has gone on."""

    late = False

    def _become_visible(self, under_way: UnderWay, *, answered: bool) -> None:
        super()._become_visible(under_way, answered=answered and not self.late)


class QuickTable:
    """The simulated table and its client, without any fault."""

    def __init__(self, now: Callable[[], float], seed: int, *, name: str = TABLE) -> None:
        chance = random.Random(seed)
        faults = Faults(chance)
        faults.on = False
        gate = Gate(Scheduler(chance), faults)
        self.table = Table(chance, now)
        self.transactions = ShownLate(self.table, gate)
        self.client: Any = SimulatedTableClient(self.table, self.transactions, gate, name=name)


class QuickWorld(ReconcileWorld):
    """A `ReconcileWorld` over such a table; `beside` another one, it shares what is no service."""

    def __init__(self, seed: int = 0, *, beside: "QuickWorld | None" = None, **parts: Any) -> None:
        clock = beside.clock if beside else MovableClock()
        self.quick: QuickTable = beside.quick if beside else QuickTable(clock.monotonic, seed)
        if beside is not None:
            parts = {"index": beside.index, "embedder": beside.embedder, **parts}
        super().__init__(TABLE, client=self.quick.client, clock=clock, **parts)
        if beside is not None:
            self.objects = beside.objects
            self.compose()

    def watch(self, told: Callable[[str], None], *ports: str) -> None:
        """From now on calls of these ports (all of them, if none is named) are told before they
        are made: those of passes, jobs and projections, not those of clients and searches."""
        here: Any = self
        for name in ports or PORTS:
            setattr(here, name, Watched(getattr(here, name), name, told))
        self.reproject()

    def reproject(self) -> None:
        """Make projection and services anew, of the ports as they are now."""
        self.projection = replace(
            self.projection,
            store=self.store,
            ledger=self.ledger,
            index=self.index,
            register=self.register,
            embedding=RecordEmbedding(self.embedder, self.vectors),
        )
        self.compose()

    def items(self, prefix: str = "", *, pk: str = PARTITION) -> dict[str, Item]:
        """The items of a partition by sort key."""
        everything = self.quick.table.everything().items()
        return {k.sk: item for k, item in everything if k.pk == pk and k.sk.startswith(prefix)}


def in_memory(*, beside: World | None = None, **parts: Any) -> World:
    """A world over a table in memory, which is a twentieth of what moto takes: one of its own, or
    that of the world `beside` it.
    """
    clock = beside.clock if beside else MovableClock()
    client = beside.client if beside else QuickTable(clock.monotonic, 0).client
    return World(TABLE, client=client, clock=clock, **parts)
