"""The beginning of a pass: the fence is replaced, and what the pass takes for the past is settled.

Reads show a transaction's items one by one. A commit of an earlier pass may have been applied just
before the fence was replaced; until all of it is seen, its records would look like a client's later
ones. So the clock is read together with the fence, and the last commits up to it are looked for in
the records before anything is planned.
"""

from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from palimpsest.domain.commits import Clock as NamespaceClock
from palimpsest.domain.passes import Displaced, Pass
from palimpsest.domain.walks import Order, Position
from palimpsest.ports import Clock, CommitLog, Fences, RecordStore
from palimpsest.services.walk_log import LogReader, changes_of

SETTLING = 16
"""Commits that may still be on their way into view, at most: each follows on the one before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PassRequest:
    """A pass as it was asked for. `by`: the key that asked."""

    tenant: str
    namespace: str
    revision: int
    forget: bool
    by: str


@dataclass(frozen=True, slots=True)
class Asked:
    """When a pass was asked for that begins later, and the namespace's purge floor then."""

    at: datetime
    floor: int


@dataclass(frozen=True, slots=True)
class BeginningService:
    """Begins passes."""

    store: RecordStore
    fences: Fences
    log: CommitLog
    clock: Clock

    def begin(self, request: PassRequest, *, attempt: str, asked: Asked | None = None) -> Pass:
        """The pass, once it has begun. Raises `Displaced` where a newer one has; and where it was
        `asked` for earlier (None: just now) and something has begun since that ends it: a later
        pass, or a purge.
        """
        tenant, namespace = request.tenant, request.namespace
        if asked is not None and self.store.read(tenant, namespace)[0].floor > asked.floor:
            raise Displaced(self.fences.read(tenant, namespace).begun)
        at = asked.at if asked is not None else self.clock.now()
        if not self.fences.begin(
            tenant, namespace, request.revision, attempt=attempt, asked=at, at_once=asked is None
        ):
            raise Displaced(self.fences.read(tenant, namespace).begun)
        return self.resume(request, attempt=attempt)

    def resume(self, request: PassRequest, *, attempt: str) -> Pass:
        """The pass that has begun under this attempt and has not committed anything yet."""
        tenant, namespace = request.tenant, request.namespace
        fence, clock = self.fences.settled(tenant, namespace)
        if fence.attempt != attempt:
            raise Displaced(fence.begun)
        reader = LogReader(self.store, self.log, self.clock, tenant, namespace)
        start, order = Position(clock.revision, clock.revision), Order.NEWEST
        entries = islice(reader.entries(start, order, floor=clock.floor), SETTLING)
        for entry in list(entries):
            reader.records(changes_of(entry, order, upto=clock.revision))
        return _pass(request, attempt, clock)

    def preview(self, request: PassRequest) -> Pass:
        """The pass as it would begin now, without beginning it. Raises `Displaced` as `begin`."""
        fence, clock = self.fences.settled(request.tenant, request.namespace)
        if fence.refuses(request.revision):
            raise Displaced(fence.begun)
        return _pass(request, "", clock)


def _pass(request: PassRequest, attempt: str, clock: NamespaceClock) -> Pass:
    return Pass(
        tenant=request.tenant,
        namespace=request.namespace,
        revision=request.revision,
        attempt=attempt,
        base=clock.revision,
        floor=clock.floor,
        forget=request.forget,
        by=request.by,
    )
