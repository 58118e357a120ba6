"""Explain: a search, and for each record that was expected of it the stage that lost it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from palimpsest.domain.entries import EntryKey, Leg
from palimpsest.domain.explanation import Explained
from palimpsest.domain.filters import And, OneOf
from palimpsest.domain.loss import loss_of
from palimpsest.domain.queries import SearchAnswer, SearchRequest
from palimpsest.domain.records import Record
from palimpsest.ports import RecordStore, SearchIndex
from palimpsest.services.ask_legs import LegAsker
from palimpsest.services.explained_stages import Placing, reached, verdict
from palimpsest.services.search import Searched, SearchService

PATIENCE_S = 3.0
"""What the expected records are asked for on the legs once the search itself is over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainService:
    """Explains what `searches` does."""

    searches: SearchService
    store: RecordStore
    index: SearchIndex
    asker: LegAsker

    def explain(
        self, request: SearchRequest, expected: Sequence[str]
    ) -> tuple[SearchAnswer, list[Explained]]:
        """The answer to a search, and each expected id in the order asked. An id that stands in
        several of the namespaces asked is told of the first one that knows it. Raises as a search.
        """
        searched = self.searches.searched(request)
        placed = {one: self._placed(searched, one) for one in dict.fromkeys(expected)}
        scores = self._scores(searched, [one for one in placed if placed[one].record is not None])
        told = [
            self._explained(searched, placed[one], scores.get((placed[one].partition, one), {}))
            for one in expected
        ]
        return searched.answer, told

    def _placed(self, searched: Searched, record_id: str) -> Placing:
        """Where an id stands: its record as the table has it now."""
        request = searched.answer.request
        found: list[Placing] = []
        for partition, namespace in request.partitions.items():
            record = self.store.read(request.tenant, namespace, [record_id])[1].get(record_id)
            clock = searched.seen.read.clocks[namespace]
            loss = loss_of(record, request, clock, now=searched.seen.now)
            indexed = searched.seen.read.indexed[namespace].revision
            found.append(Placing(record_id, partition, record, loss, indexed))
        return min(found, key=lambda one: (one.record is None, one.loss is not None))

    def _scores(
        self, searched: Searched, expected: Sequence[str]
    ) -> dict[EntryKey, dict[Leg, float]]:
        """What each leg thinks of them, wherever they rank."""
        if not expected:
            return {}
        asked = searched.asked
        question = replace(asked.question, request=_only(asked.question.request, expected))
        told = self.asker.ask(
            question, asked.legs, depth=len(expected) * len(question.request.namespaces),
            timeout=PATIENCE_S,
        )  # fmt: skip
        scores: dict[EntryKey, dict[Leg, float]] = {}
        for leg, result in told.merged.items():
            for one in result.candidates:
                scores.setdefault(one.key, {})[leg] = one.score
        return scores

    def _explained(
        self, searched: Searched, placing: Placing, scores: Mapping[Leg, float]
    ) -> Explained:
        stages: dict[str, Any] = {"record": _record(placing.record)}
        legs = frozenset[Leg]()
        if placing.loss is None:
            legs = self.index.legs(placing.partition, placing.id)
            stages["index"] = {"legs": sorted(leg.value for leg in legs)}
            stages |= reached(searched, placing, scores)
        stage = verdict(searched, placing, legs=legs, scores=scores)
        return Explained(placing.id, stage, stages)


def _only(request: SearchRequest, expected: Sequence[str]) -> SearchRequest:
    """The request for these ids alone."""
    ids = OneOf("id", tuple(expected))
    return replace(request, filter=ids if request.filter is None else And((request.filter, ids)))


def _record(record: Record | None) -> dict[str, Any] | None:
    if record is None:
        return None
    return {"status": record.status.value, "revision": record.revision}
