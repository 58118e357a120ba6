"""Search: ask the legs in every way, fuse, read every hit back from the canonical table, rerank,
and say what fell short.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial

from palimpsest.domain.budget import Stage
from palimpsest.domain.entries import Candidate, Leg, LegResult, LegStatus
from palimpsest.domain.errors import CursorMismatch, GenerationGone, Throttled, Unavailable
from palimpsest.domain.fusing_variations import fuse_variations
from palimpsest.domain.fusion import FusedHit, extend, fuse, single
from palimpsest.domain.page_cut import not_below
from palimpsest.domain.queries import Mode, Reranked, Rest, SearchAnswer, SearchRequest
from palimpsest.ports import Clock, Executor, Pending, RecordStore, Waker
from palimpsest.services.ask_legs import Asked
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
        try:
            return self._searched(request, refused)
        except GenerationGone:  # the index was replaced meanwhile: all that was looked up is old
            return self._searched(request, refused)

    def _searched(self, request: SearchRequest, refused: Reranked | None) -> Searched:
        seen = self.looking.look(request)
        run = _Run(request, seen)
        run.timings |= {"rewrite": seen.deep.ms} if seen.deep.llm_calls else {}
        woken = self._wake_what_lags(request, seen)
        asked = self._asked(run)
        found = self._found(run, asked, refused)
        self._wait_for(woken, seen)
        run.timings["total"] = self._since(seen.budget.start)
        return Searched(answer_of(request, seen, asked, found, run.timings), seen, asked, found)

    def _wake_what_lags(self, request: SearchRequest, seen: Seen) -> list[Pending[None]]:
        """Beside the legs, ask for the projections that are due; a wake-up never raises."""
        wake = partial(self.waker.wake, generation=seen.read.generation)
        return [
            self.executor.submit(partial(wake, request.tenant, namespace, revision))
            for namespace, revision in seen.read.lagging.items()
        ]

    def _wait_for(self, woken: Sequence[Pending[None]], seen: Seen) -> None:
        """A function may stand still once it has answered, yet a hint is worth no late answer."""
        until = seen.budget.end(Stage.RERANK)
        for one in woken:
            with suppress(TimeoutError):
                one.result(max(0.0, until - self.clock.monotonic()))

    def _asked(self, run: _Run) -> AskedLegs:
        start = self.clock.monotonic()
        asked = self.legs.ask(run.request, run.seen, depth=self.depth)
        run.timings["search"] = self._since(start)
        refuse_outage(asked.asked.merged)
        return asked

    def _found(self, run: _Run, asked: AskedLegs, refused: Reranked | None) -> Found:
        request = run.request
        if refused is not None:
            page = Page(limit=request.limit)
            fused = self._hydrated(run, page, asked, least=request.min_score)
            left = not_below(fused, request.min_score)[page.taken :]
            return Found(fused, page, page.hits, left, refused)
        page = Page(limit=CANDIDATES)
        fused = self._hydrated(run, page, asked)
        start = self.clock.monotonic()
        timeout = run.seen.budget.left(Stage.RERANK, start)
        placed, reranked = self.reranking.rerank(request.query, page.hits, timeout=timeout)
        run.timings["rerank"] = self._since(start)
        return Found(fused, page, placed, fused[page.taken :], reranked)

    def _hydrated(
        self, run: _Run, page: Page, asked: AskedLegs, *, least: float | None = None
    ) -> Sequence[FusedHit]:
        """Fill the page with hits whose score is not below `least`; the whole fused list. Legs that
        were cut are asked once more, deeper, if dropped hits left the page short.
        """
        start = self.clock.monotonic()
        hydration, merged = self._hydration(run), asked.asked.merged
        fused = ranked(run.request, asked.asked)
        kept = not_below(fused, least)
        hydration.fill(page, kept)
        whole = len(kept) == len(fused)
        if page.dropped and whole and not page.is_full() and _cut(merged):
            deeper = self._deeper(run, page, asked)
            fused += extend(fused, ranked(run.request, deeper)) if deeper else []
            kept = not_below(fused, least)
            hydration.fill(page, kept)
            ended = deeper is not None and not _still_cut(merged, deeper.merged)
            if not page.is_full() and len(kept) == len(fused) and not ended:
                page.cut_off = True
        run.timings["hydrate"] = self._since(start)
        return fused

    def _deeper(self, run: _Run, page: Page, asked: AskedLegs) -> Asked | None:
        """What the legs have deeper down; None where none can answer, which is an outage if there
        is no hit yet.
        """
        try:
            deeper = self.legs.deeper(asked, run.seen, depth=self.depth * DEEPER)
            refuse_outage(deeper.merged)
        except (Unavailable, Throttled):
            if not page.hits:
                raise
            return None
        return deeper

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
        ended = alike == len(rest.hits) and not page.is_full()
        cut = any(leg.cut for leg in rest.outcome.legs.values())
        page.cut_off = page.cut_off or bool(ended and page.dropped and cut)
        run.timings["hydrate"] = self._since(start)
        run.timings["total"] = self._since(run.seen.budget.start)
        return resumed_answer(run.request, run.seen, page, rest, run.timings)

    def _since(self, start: float) -> float:
        return (self.clock.monotonic() - start) * 1000


def ranked(request: SearchRequest, asked: Asked) -> list[FusedHit]:
    """The fused list of the legs' answers; of a mode with one leg, that leg's own."""
    if request.mode is not Mode.HYBRID:
        ((leg, result),) = asked.merged.items()
        return single(leg, result.candidates)
    if all(len(several) == 1 for several in asked.by_variation.values()):
        lists = {leg: result.candidates for leg, result in asked.merged.items()}
        return fuse(lists, request.fusion)
    return fuse_variations(
        {leg: _answered(several) for leg, several in asked.by_variation.items()}, request.fusion
    )


def _answered(several: Sequence[LegResult]) -> dict[int, Sequence[Candidate]]:
    """A leg's rankings by variation; what was not answered is none, but for the original's: without
    it, as in `merge_variations`, the others count for nothing.
    """
    if several[0].status is not LegStatus.OK:
        return {0: ()}
    return {n: one.candidates for n, one in enumerate(several) if one.status is LegStatus.OK}


def _cut(results: Mapping[Leg, LegResult]) -> bool:
    return any(result.cut for result in results.values())


def _still_cut(first: Mapping[Leg, LegResult], deeper: Mapping[Leg, LegResult]) -> bool:
    """Whether a leg that was cut is so again, or did not answer this time as it did before."""
    return any(
        deeper[leg].cut or (deeper[leg].status, deeper[leg].reason) != (one.status, one.reason)
        for leg, one in first.items()
        if one.cut
    )


def _reranked(hit: FusedHit) -> bool:
    return hit.relevance is not None
