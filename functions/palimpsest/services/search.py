"""Search: ask the legs in every way, fuse, read every hit back from the canonical table, rerank,
and say what fell short.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from palimpsest.domain.budget import Stage
from palimpsest.domain.entries import Leg, LegResult
from palimpsest.domain.errors import CursorMismatch
from palimpsest.domain.fusion import FusedHit, extend, fuse, single
from palimpsest.domain.page_cut import not_below
from palimpsest.domain.queries import Mode, Reranked, Rest, SearchAnswer, SearchRequest
from palimpsest.ports import Clock, Executor, Pending, RecordStore, Waker
from palimpsest.services.choose_legs import AskedLegs, LegChoice
from palimpsest.services.hydrate import Hydration, Page
from palimpsest.services.leg_outcomes import refuse_outage
from palimpsest.services.look_around import LookingAround, Seen
from palimpsest.services.reranking import CANDIDATES, Reranking
from palimpsest.services.search_answer import Found, answer_of, check_scores, resumed_answer

DEEPER = 10


@dataclass(slots=True)
class _Run:
    """One search under way."""

    request: SearchRequest
    seen: Seen
    timings: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Searched:
    """An answer and what it was made of."""

    answer: SearchAnswer
    seen: Seen
    asked: AskedLegs
    found: Found


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchService:
    """Searches namespaces of one tenant. `depth` is the number of candidates asked of a leg,
    whatever the limit.
    """

    looking: LookingAround
    legs: LegChoice
    reranking: Reranking
    store: RecordStore
    executor: Executor
    clock: Clock
    waker: Waker
    depth: int = 100

    def search(self, request: SearchRequest, rest: Rest | None = None) -> SearchAnswer:
        """Answer `request`, or go on with the `rest` of an earlier answer to it.

        Raises `Unavailable` (`DeadlineExceeded` where time ran out) if no leg could answer or the
        table cannot be read: an outage is never an empty list. `InvalidRequest` where it asks for
        what this service has not; `CursorMismatch` where the rest is of another index generation.
        """
        if rest is not None:
            return self._resumed(request, rest)
        return self.searched(request).answer

    def searched(self, request: SearchRequest) -> Searched:
        """As `search`, with everything that the answer was made of."""
        refused = self.reranking.refusal(request)
        check_scores(request, reranked=refused is None)
        seen = self.looking.look(request)
        run = _Run(request, seen)
        run.timings |= {"rewrite": seen.deep.ms} if seen.deep.llm_calls else {}
        woken = self._wake_what_lags(request, seen)
        asked = self._asked(run)
        found = self._found(run, asked, refused)
        for one in woken:
            one.result()
        run.timings["total"] = self._since(seen.budget.start)
        return Searched(answer_of(request, seen, asked, found, run.timings), seen, asked, found)

    def _wake_what_lags(self, request: SearchRequest, seen: Seen) -> list[Pending[None]]:
        """Beside the legs, ask for the projections that are due; a wake-up never raises."""
        wake = partial(self.waker.wake, generation=seen.read.generation)
        return [
            self.executor.submit(partial(wake, request.tenant, namespace, revision))
            for namespace, revision in seen.read.lagging.items()
        ]

    def _asked(self, run: _Run) -> AskedLegs:
        start = self.clock.monotonic()
        asked = self.legs.ask(run.request, run.seen, depth=self.depth)
        run.timings["search"] = self._since(start)
        refuse_outage(asked.asked.merged)
        return asked

    def _found(self, run: _Run, asked: AskedLegs, refused: Reranked | None) -> Found:
        request, merged = run.request, asked.asked.merged
        fused = ranked(request, merged)
        if refused is not None:
            kept = not_below(fused, request.min_score)
            whole = len(kept) == len(fused)
            page = Page(limit=request.limit)
            listed = self._hydrated(run, page, kept, asked if whole else None)
            return Found(fused, page, page.hits, listed[page.taken :], refused)
        page = Page(limit=CANDIDATES)
        listed = self._hydrated(run, page, fused, asked)
        start = self.clock.monotonic()
        left = run.seen.budget.left(Stage.RERANK, start)
        placed, reranked = self.reranking.rerank(request.query, page.hits, timeout=left)
        run.timings["rerank"] = self._since(start)
        return Found(fused, page, placed, listed[page.taken :], reranked)

    def _hydrated(
        self, run: _Run, page: Page, fused: Sequence[FusedHit], asked: AskedLegs | None
    ) -> Sequence[FusedHit]:
        """Fill the page; the list that it was filled from. Legs that were cut are asked once more,
        deeper, if dropped hits left the page short (and `asked` is given).
        """
        start = self.clock.monotonic()
        hydration = self._hydration(run)
        hydration.fill(page, fused)
        if asked is not None and page.dropped and not page.is_full() and _cut(asked.asked.merged):
            deeper = self.legs.deeper(asked, run.seen, depth=self.depth * DEEPER)
            more = extend(fused, ranked(run.request, deeper)) if deeper else []
            fused = [*fused, *more]
            hydration.fill(page, fused)
            if not page.is_full() and (not deeper or _cut(deeper)):
                page.cut_off = True
        run.timings["hydrate"] = self._since(start)
        return fused

    def _hydration(self, run: _Run) -> Hydration:
        return Hydration(
            store=self.store,
            executor=self.executor,
            clock=self.clock,
            request=run.request,
            clocks=run.seen.read.clocks,
            now=run.seen.now,
            until=run.seen.budget.end(Stage.HYDRATE),
        )

    def _resumed(self, request: SearchRequest, rest: Rest) -> SearchAnswer:
        """The next page of a list: hits that were reranked and others are never on one page."""
        run = _Run(request, self.looking.look(request, resumed=True))
        if rest.generation != run.seen.reading.generation:
            raise CursorMismatch("this cursor was given out for another state of the index")
        start = self.clock.monotonic()
        alike = next(
            (n for n, hit in enumerate(rest.hits) if _reranked(hit) != _reranked(rest.hits[0])),
            len(rest.hits),
        )
        page = Page(limit=run.request.limit)
        self._hydration(run).fill(page, rest.hits[:alike])
        run.timings["hydrate"] = self._since(start)
        run.timings["total"] = self._since(run.seen.budget.start)
        return resumed_answer(run.request, run.seen, page, rest, run.timings)

    def _since(self, start: float) -> float:
        return (self.clock.monotonic() - start) * 1000


def ranked(request: SearchRequest, results: Mapping[Leg, LegResult]) -> list[FusedHit]:
    """The fused list of the legs' answers; of a mode with one leg, that leg's own."""
    if request.mode is Mode.HYBRID:
        return fuse({leg: result.candidates for leg, result in results.items()}, request.fusion)
    ((leg, result),) = results.items()
    return single(leg, result.candidates)


def _cut(results: Mapping[Leg, LegResult]) -> bool:
    return any(result.cut for result in results.values())


def _reranked(hit: FusedHit) -> bool:
    return hit.relevance is not None
