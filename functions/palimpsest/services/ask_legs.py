"""The legs of a search, for every way of asking, in one round trip."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from palimpsest.domain.entries import Leg, LegQuery, LegResult
from palimpsest.domain.ledger import Reading
from palimpsest.domain.leg_merging import merge_variations
from palimpsest.domain.queries import SearchRequest
from palimpsest.ports import Executor, SearchIndex
from palimpsest.services.in_time import INNER_SHARE, in_time
from palimpsest.services.query_vector import QueryVector

STAGE = "search"

Slot = tuple[Leg, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A request as its legs are asked: each of `variations` (the original first), of what is valid
    at `now`, in the generation `reading`, whose model made `vectors`, one for each variation.
    """

    request: SearchRequest
    now: datetime
    reading: Reading
    variations: Sequence[str]
    vectors: Sequence[QueryVector] = ()


@dataclass(frozen=True, slots=True)
class Asked:
    """What the legs answered: each in one, and by variation."""

    merged: Mapping[Leg, LegResult]
    by_variation: Mapping[Leg, Sequence[LegResult]]

    def beside(self, other: "Asked") -> "Asked":
        """Both, of different legs."""
        return Asked({**self.merged, **other.merged}, {**self.by_variation, **other.by_variation})


@dataclass(frozen=True, slots=True)
class LegAsker:
    """Asks one index."""

    index: SearchIndex
    executor: Executor

    def ask(self, question: Question, legs: Sequence[Leg], *, depth: int, timeout: float) -> Asked:
        """Ask these legs for all variations, within `timeout` seconds; what has no vector is not
        asked on the semantic leg. Raises `Unavailable` where the index cannot be asked.
        """
        slots = [(leg, place) for leg in legs for place in range(len(question.variations))]
        told = {slot: known for slot in slots if (known := _known(question, slot)) is not None}
        asked = [slot for slot in slots if slot not in told]
        if asked:
            queries = [_query(question, slot, depth=depth) for slot in asked]
            answers = self._searched(question, queries, timeout=timeout)
            told |= dict(zip(asked, answers, strict=True))
        by_variation = {
            leg: [told[leg, place] for place in range(len(question.variations))] for leg in legs
        }
        merged = {leg: merge_variations(found, depth=depth) for leg, found in by_variation.items()}
        return Asked(merged, by_variation)

    def _searched(
        self, question: Question, queries: Sequence[LegQuery], *, timeout: float
    ) -> list[LegResult]:
        inner, generation = INNER_SHARE * timeout, question.reading.generation
        if self.index.keeps_time:
            return self.index.search(queries, timeout=inner, generation=generation)
        pending = self.executor.submit(
            lambda: self.index.search(queries, timeout=inner, generation=generation)
        )
        return in_time(pending, timeout=timeout, stage=STAGE)


def with_embedding_time(asked: Asked, vectors: Sequence[QueryVector]) -> dict[Leg, LegResult]:
    """The legs' results, with what the query's vectors took in the time of the semantic leg."""
    extra = max((vector.ms for vector in vectors), default=0.0)
    return {
        leg: replace(result, ms=result.ms + extra) if leg is Leg.SEMANTIC else result
        for leg, result in asked.merged.items()
    }


def _known(question: Question, slot: Slot) -> LegResult | None:
    """What a leg answers without being asked."""
    leg, place = slot
    if leg is Leg.LEXICAL:
        return None
    vector = question.vectors[place]
    if vector.vector is not None:
        return None
    return LegResult(leg=leg, status=vector.status, reason=vector.reason)


def _query(question: Question, slot: Slot, *, depth: int) -> LegQuery:
    (leg, place), request = slot, question.request
    semantic = leg is Leg.SEMANTIC
    return LegQuery(
        leg=leg,
        partitions=tuple(request.partitions),
        depth=depth,
        now=question.now,
        text="" if semantic else question.variations[place],
        vector=question.vectors[place].vector if semantic else None,
        fingerprint=question.reading.fingerprint,
        filter=request.filter,
        time_range=request.time_range,
    )
