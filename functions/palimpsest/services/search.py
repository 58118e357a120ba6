"""Search: ask the legs, fuse, read every hit back from the canonical table, and say what fell
short.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial

from palimpsest.domain.entries import Leg, LegResult
from palimpsest.domain.fusion import FusedHit, extend, fuse, single
from palimpsest.domain.ledger import Reading
from palimpsest.domain.queries import Hit, Mode, SearchAnswer, SearchRequest
from palimpsest.domain.snippets import snippet
from palimpsest.ports import (
    Clock,
    Embedder,
    Executor,
    IndexLedger,
    Pending,
    RecordStore,
    SearchIndex,
    Waker,
)
from palimpsest.services.ask_legs import Question, ask_legs, with_embedding_time
from palimpsest.services.hydrate import Hydration, Page
from palimpsest.services.leg_outcomes import fell_short
from palimpsest.services.namespace_clocks import ClocksRead, NamespaceClocks
from palimpsest.services.query_vector import QueryVector, embed_query

DEEPER = 10
POLL_S = 0.02
MAX_BUDGET_S = 27.0
"""Below the function's own time limit of 28 s."""

SHORT_OF_BUDGET_S = 0.1
"""Kept back from the request's budget, so that an inner time-out ends before the outer one."""


@dataclass(slots=True)
class _Progress:
    """What one search knows so far."""

    started: float
    end: float
    now: datetime
    read: ClocksRead
    reading: Reading
    vector: QueryVector | None = None
    timings: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SearchService:
    """Searches namespaces of one tenant. `depth` is the number of candidates asked of a leg,
    whatever the limit. `embedders` by fingerprint: a question is embedded with the model of the
    generation that it asks.
    """

    store: RecordStore
    ledger: IndexLedger
    index: SearchIndex
    embedders: Mapping[str, Embedder]
    executor: Executor
    clock: Clock
    waker: Waker
    depth: int = 100

    def search(self, request: SearchRequest) -> SearchAnswer:
        """Answer `request`.

        Raises `Unavailable` (`DeadlineExceeded` where time ran out) if no leg could answer or the
        table cannot be read: an outage is never an empty list.
        """
        progress = self._looked(request)
        woken = self._wake_what_lags(request, progress)
        results = self._ask(request, progress, depth=self.depth)
        fused = _ranked(request, results)
        page = self._hydrated(request, progress, results, fused)
        for one in woken:
            one.result()
        return self._answer(request, progress, results, page)

    def _looked(self, request: SearchRequest) -> _Progress:
        """Clocks, indexed revisions and query vector, side by side; waits for `min_revision` if
        asked.
        """
        start = self.clock.monotonic()
        budget = min(MAX_BUDGET_S, request.timeout_ms / 1000 + request.wait_ms / 1000)
        timeout = max(0.01, request.timeout_ms / 1000 - SHORT_OF_BUDGET_S)
        reading = self.index.reading(timeout=timeout)
        pending = None
        if Leg.SEMANTIC in request.mode.legs:
            embedder = self.embedders.get(reading.fingerprint)
            pending = self.executor.submit(
                lambda: embed_query(embedder, self.clock, request.query, timeout_s=timeout)
            )
        read = self._clocks_when_reached(request, reading.generation)
        progress = _Progress(
            started=start,
            end=start + budget - SHORT_OF_BUDGET_S / 2,
            now=self.clock.now(),  # what expired while it waited is expired
            read=read,
            reading=reading,
        )
        if pending is not None:
            progress.vector = pending.result()
            progress.timings["embed"] = progress.vector.ms
        return progress

    def _clocks_when_reached(self, request: SearchRequest, generation: str) -> ClocksRead:
        clocks = NamespaceClocks(store=self.store, ledger=self.ledger, executor=self.executor)
        wait_until = self.clock.monotonic() + request.wait_ms / 1000
        while True:
            read = clocks.read(request.tenant, request.namespaces, generation=generation)
            if read.reached(request.min_revision or 0) or self.clock.monotonic() >= wait_until:
                return read
            self.clock.sleep(POLL_S)

    def _wake_what_lags(self, request: SearchRequest, progress: _Progress) -> list[Pending[None]]:
        """Beside the legs, ask for the projections that are due; a wake-up never raises."""
        read = progress.read
        wake = partial(self.waker.wake, generation=read.generation)
        return [
            self.executor.submit(partial(wake, request.tenant, namespace, revision))
            for namespace, revision in read.lagging.items()
        ]

    def _ask(
        self, request: SearchRequest, progress: _Progress, *, depth: int
    ) -> dict[Leg, LegResult]:
        start = self.clock.monotonic()
        question = Question(
            request=request,
            now=progress.now,
            vector=progress.vector,
            reading=progress.reading,
        )
        timeout = max(0.01, progress.end - start)
        results = ask_legs(self.index, question, depth=depth, timeout=timeout)
        took = (self.clock.monotonic() - start) * 1000
        progress.timings["search"] = progress.timings.get("search", 0.0) + took
        return results

    def _hydrated(
        self,
        request: SearchRequest,
        progress: _Progress,
        results: dict[Leg, LegResult],
        fused: list[FusedHit],
    ) -> Page:
        """The page; legs that were cut are asked once more, deeper, if dropped hits left it
        short.
        """
        start = self.clock.monotonic()
        hydration = Hydration(
            store=self.store,
            executor=self.executor,
            request=request,
            clocks=progress.read.clocks,
            now=progress.now,
        )
        page = Page()
        hydration.fill(page, fused)
        cut = any(result.cut for result in results.values())
        if page.dropped and cut and not page.full(request.limit):
            deeper = self._ask(request, progress, depth=self.depth * DEEPER)
            hydration.fill(page, extend(fused, _ranked(request, deeper)))
        progress.timings["hydrate"] = (self.clock.monotonic() - start) * 1000
        return page

    def _answer(
        self,
        request: SearchRequest,
        progress: _Progress,
        results: Mapping[Leg, LegResult],
        page: Page,
    ) -> SearchAnswer:
        degraded = [leg.value for leg, result in results.items() if fell_short(result)]
        if progress.read.building or not progress.read.reached(request.min_revision or 0):
            degraded.append("stale_index")
        progress.timings["total"] = (self.clock.monotonic() - progress.started) * 1000
        return SearchAnswer(
            request=request,
            hits=[
                Hit(fused, record, snippet(record.content.text, request.query))
                for fused, record in page.hits
                if record.content is not None
            ],
            score_kind=_score_kind(request),
            legs=with_embedding_time(results, progress.vector),
            degraded=degraded,
            revisions=progress.read.revisions,
            embedding_calls=int(progress.vector is not None),
            timings_ms=progress.timings,
            closed_early=page.closed_early,
        )


def _ranked(request: SearchRequest, results: Mapping[Leg, LegResult]) -> list[FusedHit]:
    if request.mode is Mode.HYBRID:
        return fuse({leg: result.candidates for leg, result in results.items()}, request.fusion)
    ((leg, result),) = results.items()
    return single(leg, result.candidates)


def _score_kind(request: SearchRequest) -> str:
    if request.mode is Mode.HYBRID:
        return request.fusion.method.value
    return "bm25" if request.mode is Mode.LEXICAL else "cosine"
