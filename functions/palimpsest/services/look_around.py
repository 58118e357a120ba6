"""What a search has to know before its legs are asked: the index that is read, the clocks of its
namespaces, in which ways the question is asked, and their vectors.
"""

from dataclasses import dataclass, replace
from datetime import datetime

from palimpsest.domain.budget import Budget, Stage
from palimpsest.domain.entries import Leg
from palimpsest.domain.ledger import Reading
from palimpsest.domain.queries import Deep, Mode, SearchRequest, SemanticPolicy
from palimpsest.ports import Clock, Executor, IndexLedger, Pending, RecordStore, SearchIndex
from palimpsest.services.deepening import Begun, Deepening
from palimpsest.services.in_time import INNER_SHARE, in_time
from palimpsest.services.namespace_clocks import ClocksRead, NamespaceClocks
from palimpsest.services.query_vector import QueryVector, QueryVectors

STAGE = "search"
POLL_S = 0.02


@dataclass(frozen=True, slots=True)
class Seen:
    """What is known. `vectors`: of each way to ask, in their order; none where no leg needs one."""

    budget: Budget
    now: datetime
    reading: Reading
    read: ClocksRead
    deep: Deep
    vectors: list[QueryVector]


@dataclass(frozen=True, slots=True)
class _Begun:
    """What is on its way."""

    vectors: list[QueryVector | Pending[QueryVector]]
    deep: Begun


@dataclass(frozen=True, slots=True, kw_only=True)
class LookingAround:
    """Everything that can go on side by side does."""

    store: RecordStore
    ledger: IndexLedger
    index: SearchIndex
    vectors: QueryVectors
    deepening: Deepening
    executor: Executor
    clock: Clock

    def look(self, request: SearchRequest, *, resumed: bool = False) -> Seen:
        """Look, waiting for `min_revision` if asked. A search that is `resumed` asks no model and
        waits for nothing: its list stands.

        Raises `Unavailable` or `DeadlineExceeded` where index or table cannot tell.
        """
        budget = Budget(start=self.clock.monotonic(), seconds=request.timeout_ms / 1000)
        request = replace(request, wait_ms=0) if resumed else request
        reading = self._reading(budget)
        first = None if resumed else self._begun(request, reading, budget)
        read, budget = self._clocks_when_reached(request, reading.generation, budget)
        deep, vectors = Deep(variations=(request.query,), reason="resumed"), list[QueryVector]()
        if first is not None:
            deep, vectors = self._finished(request.tenant, reading, budget, first)
        # what expired while it waited is expired
        return Seen(budget, self.clock.now(), reading, read, deep, vectors)

    def _reading(self, budget: Budget) -> Reading:
        """Asked beside, unless it keeps time: it may wait for a file or a lock."""
        left = self._left(budget, Stage.EMBED)
        inner = INNER_SHARE * left
        if self.index.keeps_time:
            return self.index.reading(timeout=inner)
        pending = self.executor.submit(lambda: self.index.reading(timeout=inner))
        return in_time(pending, timeout=left, stage=STAGE)

    def _begun(self, request: SearchRequest, reading: Reading, budget: Budget) -> _Begun:
        left = INNER_SHARE * self._left(budget, Stage.EMBED)
        vectors: list[QueryVector | Pending[QueryVector]] = []
        if embeds_at_once(request):
            vectors = self.vectors.begin(
                [request.query],
                tenant=request.tenant,
                fingerprint=reading.fingerprint,
                timeout=left,
            )
        deep = self.deepening.begin(request, timeout=self._left(budget, Stage.REWRITE))
        return _Begun(vectors, deep)

    def _finished(
        self, tenant: str, reading: Reading, budget: Budget, begun: _Begun
    ) -> tuple[Deep, list[QueryVector]]:
        deep = self.deepening.finish(begun.deep, until=budget.end(Stage.REWRITE))
        vectors = begun.vectors
        if vectors and deep.used:
            vectors = vectors + self.vectors.begin(
                deep.variations[1:],
                tenant=tenant,
                fingerprint=reading.fingerprint,
                timeout=INNER_SHARE * self._left(budget, Stage.EMBED),
            )
        return deep, self.vectors.finish(vectors, until=budget.end(Stage.EMBED))

    def _clocks_when_reached(
        self, request: SearchRequest, generation: str, budget: Budget
    ) -> tuple[ClocksRead, Budget]:
        """The clocks, and the budget from the moment on at which nothing is waited for any more."""
        clocks = NamespaceClocks(
            store=self.store, ledger=self.ledger, executor=self.executor, clock=self.clock
        )
        asked = (request.tenant, request.namespaces)
        read = clocks.read(*asked, generation=generation, until=budget.end(Stage.EMBED))
        start = now = self.clock.monotonic()
        wait_until, whole = start + request.wait_ms / 1000, budget
        while now < wait_until and not read.reached(request.min_revision or 0):
            self.clock.sleep(min(POLL_S, wait_until - now))
            budget = whole.later(min(self.clock.monotonic(), wait_until) - start)
            read = clocks.read(*asked, generation=generation, until=budget.end(Stage.EMBED))
            now = self.clock.monotonic()
        return read, whole.later(min(now, wait_until) - start)

    def _left(self, budget: Budget, stage: Stage) -> float:
        return budget.left(stage, self.clock.monotonic())


def embeds_at_once(request: SearchRequest) -> bool:
    """Whether the semantic leg is asked in any case."""
    if request.mode is Mode.HYBRID:
        return request.semantic is SemanticPolicy.ALWAYS
    return Leg.SEMANTIC in request.mode.legs
