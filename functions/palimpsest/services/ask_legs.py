"""The legs of a search, asked in one round trip."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from palimpsest.domain.entries import Leg, LegQuery, LegResult
from palimpsest.domain.ledger import Reading
from palimpsest.domain.queries import SearchRequest
from palimpsest.ports import SearchIndex
from palimpsest.services.leg_outcomes import refuse_outage
from palimpsest.services.query_vector import QueryVector


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A request as its legs are asked: what is valid at `now`, of the generation `reading`, whose
    model made the `vector` (None where no leg needs one).
    """

    request: SearchRequest
    now: datetime
    vector: QueryVector | None
    reading: Reading


def ask_legs(
    index: SearchIndex, question: Question, *, depth: int, timeout: float
) -> dict[Leg, LegResult]:
    """Every leg of the mode; a leg without a vector is not asked. Raises where no leg answered."""
    results: dict[Leg, LegResult] = {}
    queries: list[LegQuery] = []
    for leg in question.request.mode.legs:
        vector = question.vector if leg is Leg.SEMANTIC else None
        if vector is not None and vector.vector is None:
            results[leg] = LegResult(leg=leg, status=vector.status, reason=vector.reason)
        else:
            queries.append(_query(leg, question, depth=depth))
    if queries:
        answers = index.search(queries, timeout=timeout, generation=question.reading.generation)
        results |= {answer.leg: answer for answer in answers}
    refuse_outage(results)
    return {leg: results[leg] for leg in question.request.mode.legs}


def with_embedding_time(
    results: Mapping[Leg, LegResult], vector: QueryVector | None
) -> dict[Leg, LegResult]:
    """The results, with what the query's vector took in the time of the semantic leg."""
    extra = vector.ms if vector else 0.0
    return {
        leg: replace(result, ms=result.ms + extra) if leg is Leg.SEMANTIC else result
        for leg, result in results.items()
    }


def _query(leg: Leg, question: Question, *, depth: int) -> LegQuery:
    request = question.request
    return LegQuery(
        leg=leg,
        partitions=tuple(request.partitions),
        depth=depth,
        now=question.now,
        text=request.query,
        vector=question.vector.vector if question.vector else None,
        fingerprint=question.reading.fingerprint,
        filter=request.filter,
        time_range=request.time_range,
    )
