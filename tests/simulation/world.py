"""A whole Palimpsest on simulated ports, in one run: what actors have at hand."""

import random
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from jobs import handler as jobs_handler
from palimpsest.domain.errors import PalimpsestError
from projector import handler
from simulation.embedding import SimulatedEmbedder
from simulation.engine import Engine
from simulation.faults import Faults
from simulation.gate import Gate
from simulation.machines import Machines
from simulation.objects import SimulatedObjects
from simulation.passes import Passes
from simulation.plans import Plan
from simulation.reconciling_services import ReconcilingComposition
from simulation.replaced_modules import replaced
from simulation.requests import Requests
from simulation.scheduling import Died, Process, Scheduler, Violated
from simulation.services import TABLE, Composition
from simulation.small_pages import small_pages
from simulation.stream import SimulatedWaker, Stream
from simulation.table import Table
from simulation.table_client import SimulatedTableClient
from simulation.table_transactions import Transactions
from simulation.truth import Truth
from simulation.witness import Witness
from simulation.workers import Workers

T = TypeVar("T")
FUNCTIONS = ("records", "projector", "search", "operator", "reconcile", "jobs")
WIDTH, NEXT_WIDTH = 8, 6
PACES = ((0.0,), (0.0, 0.02), (0.0, 0.02, 0.3), (0.0, 0.02, 0.4, 3.0, 12.0))
"""How long the actors of a run wait between two operations, at most: all at once, or leisurely."""


class World:
    """Everything of one run."""

    def __init__(self, plan: Plan, seed: str) -> None:
        self.plan = plan
        self.chance = random.Random(seed)
        self.scheduler = Scheduler(self.chance)
        self.faults = Faults(self.chance, without=plan.without)
        self.gate = Gate(self.scheduler, self.faults)
        self.requests = Requests()
        self.table = Table(self.chance, self.scheduler.clock.monotonic)
        self.engine = Engine(self.chance, self.scheduler.event)
        self.transactions = Transactions(self.table, self.gate)
        self.witness = Witness(self.table, self.engine, self.requests, self.scheduler.event)
        self.client = SimulatedTableClient(self.table, self.transactions, self.gate, name=TABLE)
        self.stream = Stream(self.gate, self.deliver)
        self.witness.committed = self.stream.committed
        following = SimulatedEmbedder(self.gate, dimension=NEXT_WIDTH) if plan.following else None
        self.composition = Composition(
            client=self.client,
            engine=self.engine,
            gate=self.gate,
            embedder=SimulatedEmbedder(self.gate, dimension=WIDTH),
            following=following,
            waker=SimulatedWaker(self.stream),
        )
        made = self.composition
        self.objects = SimulatedObjects(self.gate)
        self.machines = Machines(self, self.take)
        more = ReconcilingComposition(
            made=made, objects=self.objects, machines=self.machines, passes=self.passes
        )
        makers: list[Callable[[], Any]] = [made.records, made.projector, made.search, made.operator]
        makers += [more.reconcile, more.jobs]
        self.workers = Workers(self.scheduler, dict(zip(FUNCTIONS, makers, strict=True)))
        self.witness.faults = self.faults.counts.total
        self.pauses_s = self.chance.choice(PACES)
        self.clients = Process("clients")
        self.restored = False

    @property
    def truth(self) -> Truth:
        """What is true."""
        return self.witness.truth

    @property
    def passes(self) -> Passes:
        """Passes and purges, and what became of them."""
        return self.witness.passes

    def end_everything(self) -> None:
        """Every process dies, but for the one that asks; what is under way never happens."""
        current = self.scheduler.current
        self.workers.kill(*FUNCTIONS)
        self.clients.alive = False
        self.clients = Process("clients")
        self.gate.outside.alive = False
        self.gate.outside = Process("outside")
        if current is not None:
            current.process = self.clients

    def begin(self) -> None:
        """Make the first generation of the index, before anything may fail."""
        self.faults.on = False
        made = self.composition
        first = made.generations().create(
            1, fingerprint=made.embedder.fingerprint, dimension=made.embedder.dimension
        )
        made.generations().read_from(first, old=None)
        self.faults.on = True

    def call(self, function: str, work: Callable[[Any], T]) -> T:
        """What a function does with its services. Raises `PalimpsestError` and `Died`; anything
        else would be an error of the code.
        """
        try:
            return self.workers.call(function, work)
        except (PalimpsestError, Died):
            raise
        except Exception as error:
            raise Violated("failures", f"{function} raised {error!r}") from error

    def deliver(self, events: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
        """The projector's handler on a batch of events; all of them failed where it died."""
        try:
            return self.call(
                "projector", lambda _: handler.handler({"Records": list(events)}, None)
            )
        except Died:
            failed = [handler._item(event) for event in events]
            return {"batchItemFailures": [{"itemIdentifier": name} for name in failed]}

    def take(self, event: dict[str, Any]) -> Mapping[str, Any]:
        """A step of a job, by the real handler. Raises `PalimpsestError` and `Died`."""
        return self.call("jobs", lambda _: jobs_handler.handler(event, None))

    def mend(self, tenant: str, namespace: str) -> None:
        """A canonical reconcile of a namespace, or the beginning of its job."""
        self.call(
            "reconcile",
            lambda it: it.canonical.reconcile(tenant, namespace, dry_run=False, job=False),
        )

    def sweep(self) -> bool:
        """The projector's sweep of everything; whether all is in line."""
        try:
            self.call("projector", lambda _: handler.handler({}, None))
        except (PalimpsestError, Died):
            return False
        return True

    def pause(self) -> None:
        """Time between two operations of an actor."""
        self.scheduler.sleep(self.chance.choice(self.pauses_s) * self.chance.random())

    @contextmanager
    def running(self) -> Iterator[None]:
        """The code under test on simulated time, with the handlers on this world."""
        handlers: tuple[Any, ...] = (handler, jobs_handler)
        before = [(one.services, one.logger) for one in handlers]
        for one in handlers:
            one.services, one.logger = self._services, Loud()
        try:
            with replaced(self.scheduler), small_pages():
                yield
        finally:
            for one, (services, logger) in zip(handlers, before, strict=True):
                one.services, one.logger = services, logger
            self.scheduler.close()

    def _services(self) -> Any:
        current = self.scheduler.current
        assert current is not None
        return self.workers.of(current.process)


class Loud:
    """The handler's logger: an error that is none of Palimpsest's own ends the run."""

    def info(self, *_: Any, **__: Any) -> None:
        """Nothing to do."""

    def error(self, message: str, **_: Any) -> None:
        raise Violated("failures", message)

    def exception(self, message: str, **_: Any) -> None:
        error = sys.exc_info()[1]
        if not isinstance(error, PalimpsestError):
            raise Violated("failures", f"{message}: {error!r}") from error
