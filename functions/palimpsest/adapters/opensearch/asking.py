"""Legs asked of one index: in one `_msearch`, or in two where a word turns out to be common."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from opensearchpy import OpenSearch

from palimpsest.adapters.opensearch.answers import missing_index, results
from palimpsest.adapters.opensearch.client import Missing, Unusable, translated
from palimpsest.adapters.opensearch.common_terms import Counting, TermCounts
from palimpsest.adapters.opensearch.questions import Body, Question, payload, question
from palimpsest.domain.entries import LegQuery, LegResult, LegStatus
from palimpsest.domain.errors import DeadlineExceeded, Throttled, Unavailable
from palimpsest.domain.generations import Generation

ENGINE_SHARE = 0.8
"""The engine's own time-out as a share of the request's, so that it ends first and says so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One `_msearch`: the questions, and what is counted along with them."""

    questions: Sequence[Question]
    countings: Sequence[Counting] = ()
    timeout: float

    def bodies(self) -> list[Body]:
        """Those of the questions, then those of the countings."""
        counted = [body for one in self.countings for body in one.bodies(timeout=self.timeout)]
        return [body for one in self.questions for body in one.bodies] + counted


class Asker:
    """Asks legs within their time, and knows which words of theirs are common. Serves many threads.

    A word whose count is not known is counted along; where that shows that it is common, the leg is
    asked once more, so that it admits nothing on its own.
    """

    def __init__(self, client: OpenSearch) -> None:
        self._client = client
        self._counts = TermCounts()

    def request(
        self, standing: Generation, queries: Sequence[LegQuery], *, timeout: float
    ) -> Request:
        """What is sent for these legs by what is known now. `timeout` is the engine's own."""
        questions = [
            question(
                query,
                fingerprint=standing.fingerprint,
                dimension=standing.dimension,
                timeout=timeout,
                common=partial(self._counts.common, standing.id, query.partitions),
            )
            for query in queries
        ]
        countings = self._counts.unknown(standing.id, questions)
        return Request(questions=questions, countings=countings, timeout=timeout)

    def asked(
        self, standing: Generation, queries: Sequence[LegQuery], *, end: float
    ) -> list[LegResult]:
        """The legs' results, by `end` (monotonic seconds). Raises `Missing` if the index is gone,
        `Unavailable` if nothing can be asked.
        """
        left = left_until(end)
        first = self.request(standing, queries, timeout=ENGINE_SHARE * left)
        if time.monotonic() >= end:
            return [_late(one) for one in first.questions]
        start = time.monotonic()
        try:
            found, counted = self._answered(standing, first, timeout=left)
        except DeadlineExceeded:
            return [_late(one) for one in first.questions]
        found = _timed(found, start)
        self._learn(standing, first.countings, counted)
        if not counted:
            return found
        return self._admitted(standing, first.questions, found, start=start, end=end)

    def _admitted(
        self,
        standing: Generation,
        questions: Sequence[Question],
        found: Sequence[LegResult],
        *,
        start: float,
        end: float,
    ) -> list[LegResult]:
        """The results, those of legs anew of whose words more is known than when they were
        asked.
        """
        changed = [
            place
            for place, one in enumerate(questions)
            if found[place].status is LegStatus.OK and self._judges_otherwise(standing, one)
        ]
        told = list(found)
        if changed:
            queries = [questions[place].query for place in changed]
            answers = self._once_more(standing, queries, end=end)
            for place, answer in zip(changed, _timed(answers, start), strict=True):
                told[place] = answer
        return told

    def _judges_otherwise(self, standing: Generation, one: Question) -> bool:
        common = self._counts.common(standing.id, one.query.partitions, one.words)
        return common != one.common

    def _once_more(
        self, standing: Generation, queries: Sequence[LegQuery], *, end: float
    ) -> list[LegResult]:
        """Results of the second round trip; its outages are those of its legs alone."""
        left = left_until(end)
        request = replace(
            self.request(standing, queries, timeout=ENGINE_SHARE * left), countings=()
        )
        try:
            return self._answered(standing, request, timeout=left)[0]
        except DeadlineExceeded:
            return [_late(one) for one in request.questions]
        except Missing:
            raise
        except Throttled:
            return [_failed(one, "index_overloaded") for one in request.questions]
        except Unavailable:
            return [_failed(one, "index_error") for one in request.questions]

    def _answered(
        self, standing: Generation, request: Request, *, timeout: float
    ) -> tuple[list[LegResult], list[Any]]:
        """The results of the questions, and the answers to the countings as they came."""
        bodies = request.bodies()
        responses = self._sent(payload(bodies, index=standing.name), timeout) if bodies else []
        if len(responses) != len(bodies):
            raise Unusable("the index gave another number of answers than it was asked")
        asked = sum(len(one.bodies) for one in request.questions)
        if missing_index(responses[:asked]):
            raise Missing("the index is not there to be asked")
        return results(request.questions, responses[:asked]), responses[asked:]

    def _sent(self, body: bytes, timeout: float) -> list[Any]:
        with translated():
            answer = self._client.msearch(body=body, params={"request_timeout": timeout})
            return list(answer["responses"])

    def _learn(
        self, standing: Generation, countings: Sequence[Counting], responses: Sequence[Any]
    ) -> None:
        rest = iter(responses)
        for one in countings:
            mine = [next(rest) for _ in (None, *one.words)]
            self._counts.learn(standing.id, one.partitions, one.read(mine))


def left_until(end: float) -> float:
    """The seconds until then; a moment if there are none."""
    return max(0.01, end - time.monotonic())


def _timed(found: Sequence[LegResult], start: float) -> list[LegResult]:
    took = 1000 * (time.monotonic() - start)
    return [replace(one, ms=took) for one in found]


def _late(one: Question) -> LegResult:
    if one.answer is not None:
        return one.answer
    return LegResult(leg=one.query.leg, status=LegStatus.TIMEOUT, reason="timeout")


def _failed(one: Question, reason: str) -> LegResult:
    return LegResult(leg=one.query.leg, status=LegStatus.FAILED, reason=reason)
