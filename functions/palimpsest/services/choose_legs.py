"""Which legs a search asks: those of its mode, by its policy the semantic one only if need be."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from palimpsest.domain.budget import Stage
from palimpsest.domain.entries import Candidate, Leg, LegResult, LegStatus
from palimpsest.domain.errors import DeadlineExceeded, GenerationGone, Throttled, Unavailable
from palimpsest.domain.loss import loss_of
from palimpsest.domain.queries import Mode, SearchRequest, SemanticPolicy
from palimpsest.domain.records import Content
from palimpsest.domain.thin import is_thin
from palimpsest.ports import Clock, Executor, RecordStore
from palimpsest.services.ask_legs import Asked, LegAsker, Question
from palimpsest.services.in_time import INNER_SHARE, in_time
from palimpsest.services.leg_outcomes import fell_short
from palimpsest.services.look_around import Seen
from palimpsest.services.query_vector import QueryVector, QueryVectors

FIRST_SHARE = 0.5
"""Of the time of the legs, what the lexical one alone may take where the other waits for it."""


@dataclass(frozen=True, slots=True)
class AskedLegs:
    """What was asked, and the answers; legs that were not asked are `skipped` in `asked`."""

    question: Question
    legs: Sequence[Leg]
    asked: Asked


@dataclass(frozen=True, slots=True, kw_only=True)
class LegChoice:
    """Asks the legs of a search."""

    asker: LegAsker
    vectors: QueryVectors
    store: RecordStore
    executor: Executor
    clock: Clock

    def ask(self, request: SearchRequest, seen: Seen, *, depth: int) -> AskedLegs:
        """Ask, in one round trip unless the policy needs two. Raises `Unavailable` or `Throttled`
        where the only one cannot be asked.
        """
        question = Question(
            request=request,
            now=seen.now,
            reading=seen.reading,
            variations=seen.deep.variations,
            vectors=seen.vectors,
        )
        policy = request.semantic if request.mode is Mode.HYBRID else SemanticPolicy.ALWAYS
        if policy is SemanticPolicy.ALWAYS:
            legs = request.mode.legs
            return AskedLegs(question, legs, self._asked(question, legs, seen, depth=depth))
        first = (Leg.LEXICAL,)
        lexical = self._alone(question, Leg.LEXICAL, seen, depth=depth, share=FIRST_SHARE)
        if policy is SemanticPolicy.NEVER:
            return AskedLegs(question, first, lexical.beside(_skipped("policy:never")))
        if not self._thin(request, lexical.merged[Leg.LEXICAL], seen):
            return AskedLegs(question, first, lexical.beside(_skipped("policy:lexical_suffices")))
        question = replace(question, vectors=self._embedded(question, seen))
        semantic = self._alone(question, Leg.SEMANTIC, seen, depth=depth)
        return AskedLegs(question, request.mode.legs, lexical.beside(semantic))

    def deeper(self, asked: AskedLegs, seen: Seen, *, depth: int) -> Asked:
        """The same legs once more, asked for more candidates. Raises as `ask`."""
        return self._asked(asked.question, asked.legs, seen, depth=depth)

    def _asked(
        self,
        question: Question,
        legs: Sequence[Leg],
        seen: Seen,
        *,
        depth: int,
        share: float = 1.0,
    ) -> Asked:
        left = share * seen.budget.left(Stage.LEGS, self.clock.monotonic())
        return self.asker.ask(question, legs, depth=depth, timeout=left)

    def _alone(
        self, question: Question, leg: Leg, seen: Seen, *, depth: int, share: float = 1.0
    ) -> Asked:
        """One leg of two; that it cannot be asked is no outage: the other one may answer."""
        try:
            return self._asked(question, (leg,), seen, depth=depth, share=share)
        except GenerationGone:
            raise
        except DeadlineExceeded:
            return _unasked(leg, LegStatus.TIMEOUT, "timeout")
        except (Unavailable, Throttled):
            return _unasked(leg, LegStatus.FAILED, "index_error")

    def _embedded(self, question: Question, seen: Seen) -> list[QueryVector]:
        left = FIRST_SHARE * seen.budget.left(Stage.LEGS, self.clock.monotonic())
        begun = self.vectors.begin(
            question.variations,
            tenant=question.request.tenant,
            fingerprint=seen.reading.fingerprint,
            timeout=INNER_SHARE * left,
        )
        return self.vectors.finish(begun, until=self.clock.monotonic() + left)

    def _thin(self, request: SearchRequest, lexical: LegResult, seen: Seen) -> bool:
        if fell_short(lexical) or len(lexical.candidates) < request.limit:
            return True
        best = self._content(request, lexical.candidates[0], seen)
        return is_thin(request.query, found=len(lexical.candidates), limit=request.limit, best=best)

    def _content(self, request: SearchRequest, best: Candidate, seen: Seen) -> Content | None:
        """The best match as it is now; None where it is not served or the table cannot tell."""
        namespace = request.partitions[best.partition]
        pending = self.executor.submit(
            lambda: self.store.read(request.tenant, namespace, [best.id])[1]
        )
        left = FIRST_SHARE * seen.budget.left(Stage.LEGS, self.clock.monotonic())
        try:
            record = in_time(pending, timeout=left, stage="table").get(best.id)
        except (Unavailable, Throttled):
            return None
        clock = seen.read.clocks[namespace]
        lost = loss_of(record, request, clock, now=seen.now, text_hash=best.text_hash)
        return record.content if record is not None and lost is None else None


def _skipped(reason: str) -> Asked:
    return _unasked(Leg.SEMANTIC, LegStatus.SKIPPED, reason)


def _unasked(leg: Leg, status: LegStatus, reason: str) -> Asked:
    told = LegResult(leg=leg, status=status, reason=reason)
    return Asked({leg: told}, {leg: [told]})
