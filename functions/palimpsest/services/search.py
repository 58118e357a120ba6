"""Search: ask the legs, fuse, read every hit back from the canonical table, and say what fell
short.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from palimpsest.domain.commits import Clock as NamespaceClock
from palimpsest.domain.entries import Leg, LegQuery, LegResult
from palimpsest.domain.fusion import FusedHit, extend, fuse, single
from palimpsest.domain.ledger import Progress
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
from palimpsest.services.hydrate import Page, fill
from palimpsest.services.leg_outcomes import fell_short, refuse_outage
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
    clock: NamespaceClock = field(default_factory=NamespaceClock)
    indexed: Progress = field(default_factory=Progress)
    generation: str = ""
    vector: QueryVector | None = None
    timings: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SearchService:
    """Searches one namespace. `depth` is the number of candidates asked of a leg, whatever the
    limit.
    """

    store: RecordStore
    ledger: IndexLedger
    index: SearchIndex
    embedder: Embedder
    executor: Executor
    clock: Clock
    waker: Waker
    depth: int = 100

    def search(self, request: SearchRequest) -> SearchAnswer:
        """Answer `request`.

        Raises `Unavailable` (`DeadlineExceeded` where time ran out) if no leg could answer or the
        table cannot be read: an outage is never an empty list.
        """
        start = self.clock.monotonic()
        budget = min(MAX_BUDGET_S, request.timeout_ms / 1000 + request.wait_ms / 1000)
        progress = _Progress(start, start + budget - SHORT_OF_BUDGET_S / 2, self.clock.now())
        self._look(request, progress)
        progress.now = self.clock.now()  # what expired while it waited is expired
        woken = self._wake_if_behind(request, progress)
        results = self._ask(request, progress, depth=self.depth)
        fused = _ranked(request, results)
        page = self._hydrated(request, progress, results, fused)
        if woken is not None:
            woken.result()
        return self._answer(request, progress, results, page)

    def _left(self, progress: _Progress) -> float:
        return max(0.01, progress.end - self.clock.monotonic())

    def _look(self, request: SearchRequest, progress: _Progress) -> None:
        """Clock, indexed revision and query vector, side by side; waits for `min_revision` if
        asked.
        """
        pending = None
        if Leg.SEMANTIC in request.mode.legs:
            timeout = max(0.01, request.timeout_ms / 1000 - SHORT_OF_BUDGET_S)
            pending = self.executor.submit(
                lambda: embed_query(self.embedder, self.clock, request.query, timeout_s=timeout)
            )
        wait_until = self.clock.monotonic() + request.wait_ms / 1000
        while True:
            self._look_once(request, progress)
            if progress.indexed.revision >= (request.min_revision or 0):
                break
            if self.clock.monotonic() >= wait_until:
                break
            self.clock.sleep(POLL_S)
        if pending is not None:
            progress.vector = pending.result()
            progress.timings["embed"] = progress.vector.ms

    def _wake_if_behind(self, request: SearchRequest, progress: _Progress) -> Pending[None] | None:
        """Beside the legs, ask for a projection that is due; a wake-up never raises."""
        revision = progress.clock.revision
        if progress.indexed.revision >= revision:
            return None
        return self.executor.submit(
            lambda: self.waker.wake(
                request.tenant, request.namespace, revision, generation=progress.generation
            )
        )

    def _look_once(self, request: SearchRequest, progress: _Progress) -> None:
        progress.clock, _ = self.store.read(request.tenant, request.namespace)
        progress.generation = self.index.generation()
        progress.indexed = self.ledger.progress(
            request.tenant, request.namespace, progress.generation
        )

    def _ask(
        self, request: SearchRequest, progress: _Progress, *, depth: int
    ) -> dict[Leg, LegResult]:
        """Every leg of the mode in one round trip; a leg without a vector is not asked."""
        results: dict[Leg, LegResult] = {}
        queries: list[LegQuery] = []
        for leg in request.mode.legs:
            vector = progress.vector if leg is Leg.SEMANTIC else None
            if vector is not None and vector.vector is None:
                results[leg] = LegResult(leg=leg, status=vector.status, reason=vector.reason)
            else:
                queries.append(self._query(leg, request, progress, depth))
        start = self.clock.monotonic()
        if queries:
            answers = self.index.search(queries, timeout=self._left(progress))
            results |= {answer.leg: answer for answer in answers}
        took = (self.clock.monotonic() - start) * 1000
        progress.timings["search"] = progress.timings.get("search", 0.0) + took
        refuse_outage(results)
        return {leg: results[leg] for leg in request.mode.legs}

    def _query(self, leg: Leg, request: SearchRequest, progress: _Progress, depth: int) -> LegQuery:
        return LegQuery(
            leg=leg,
            partition=f"{request.tenant}#{request.namespace}",
            depth=depth,
            now=progress.now,
            text=request.query,
            vector=progress.vector.vector if progress.vector else None,
            fingerprint=self.embedder.fingerprint,
            filter=request.filter,
            time_range=request.time_range,
        )

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
        page = Page()
        self._fill(page, fused, request, progress)
        cut = any(result.cut for result in results.values())
        if page.dropped and cut and not page.full(request.limit):
            deeper = self._ask(request, progress, depth=self.depth * DEEPER)
            self._fill(page, extend(fused, _ranked(request, deeper)), request, progress)
        progress.timings["hydrate"] = (self.clock.monotonic() - start) * 1000
        return page

    def _fill(
        self, page: Page, fused: list[FusedHit], request: SearchRequest, progress: _Progress
    ) -> None:
        fill(page, fused, store=self.store, request=request, clock=progress.clock, now=progress.now)

    def _answer(
        self,
        request: SearchRequest,
        progress: _Progress,
        results: Mapping[Leg, LegResult],
        page: Page,
    ) -> SearchAnswer:
        degraded = [leg.value for leg, result in results.items() if fell_short(result)]
        if _is_stale(request, progress):
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
            legs=_with_embedding_time(results, progress),
            degraded=degraded,
            corpus_revision=progress.clock.revision,
            indexed_revision=min(progress.indexed.revision, progress.clock.revision),
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


def _is_stale(request: SearchRequest, progress: _Progress) -> bool:
    """Short of the revision asked for, or of what was there when this generation was begun."""
    short = progress.indexed.revision < (request.min_revision or 0)
    return short or progress.indexed.building(progress.clock.revision)


def _with_embedding_time(
    results: Mapping[Leg, LegResult], progress: _Progress
) -> dict[Leg, LegResult]:
    extra = progress.vector.ms if progress.vector else 0.0
    return {
        leg: replace(result, ms=result.ms + extra) if leg is Leg.SEMANTIC else result
        for leg, result in results.items()
    }
