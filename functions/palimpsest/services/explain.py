"""Explain: a search, and for each record that was expected of it the stage that lost it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from palimpsest.domain.entries import Candidate, EntryKey, Leg
from palimpsest.domain.errors import Throttled, Unavailable
from palimpsest.domain.explanation import Explained, LostAt
from palimpsest.domain.filters import And, OneOf
from palimpsest.domain.loss import Loss, loss_of
from palimpsest.domain.queries import Mode, SearchAnswer, SearchRequest
from palimpsest.ports import RecordStore, SearchIndex
from palimpsest.services.ask_legs import LegAsker
from palimpsest.services.explained_stages import Placing, reached, verdict
from palimpsest.services.in_time import in_time
from palimpsest.services.search import Searched, SearchService
from palimpsest.services.side_by_side import side_by_side

PATIENCE_S = 2.0
"""How long the expected records are looked for once the search itself is over."""

FAR = {stage: place for place, stage in enumerate(LostAt)}
"""How far a record came that was lost there."""


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
        several of the namespaces asked is told of where it came furthest. Raises as a search; what
        the index cannot tell after the search is left out.
        """
        searched = self.searches.searched(request)
        ids, until = list(dict.fromkeys(expected)), self.searches.clock.monotonic() + PATIENCE_S
        placings = self._placings(searched, ids, until)
        probed = self._probed(searched, ids) if any(one.record for one in placings) else {}
        best: dict[str, Explained] = {}
        for placing in placings:
            placing = replace(placing, found=probed.get(placing.key, {}))  # noqa: PLW2901
            told = self._explained(searched, placing, until)
            known = best.setdefault(placing.id, told)
            if FAR[told.stage] > FAR[known.stage]:
                best[placing.id] = told
        return searched.answer, [best[one] for one in expected]

    def _placings(self, searched: Searched, ids: Sequence[str], until: float) -> list[Placing]:
        """Each id in each namespace as the table has it now, namespaces in the order asked."""
        request, seen = searched.answer.request, searched.seen
        placings: list[Placing] = []
        every = side_by_side(
            self.searches.executor,
            lambda namespace: self.store.read(request.tenant, namespace, ids)[1],
            request.namespaces,
            clock=self.searches.clock,
            until=until,
            stage="table",
        )
        for partition, namespace in request.partitions.items():
            records = every[namespace]
            for one in ids:
                record = records.get(one)
                loss = loss_of(record, request, seen.read.clocks[namespace], now=seen.now)
                known = None if loss is Loss.UNKNOWN else record
                placings.append(
                    Placing(
                        id=one, namespace=namespace, partition=partition, record=known, loss=loss
                    )
                )
        return placings

    def _probed(
        self, searched: Searched, ids: Sequence[str]
    ) -> dict[EntryKey, dict[Leg, Candidate]]:
        """What each leg finds of them, wherever they rank."""
        question, legs = searched.asked.question, searched.asked.legs
        question = replace(question, request=_only(question.request, ids))
        depth = len(ids) * len(question.request.namespaces)
        found: dict[EntryKey, dict[Leg, Candidate]] = {}
        try:
            told = self.asker.ask(question, legs, depth=depth, timeout=PATIENCE_S)
        except (Unavailable, Throttled):
            return found
        hybrid = question.request.mode is Mode.HYBRID
        for leg, merged in told.merged.items():
            for result in told.by_variation[leg] if hybrid else [merged]:
                for one in result.candidates:
                    by_leg = found.setdefault(one.key, {})
                    by_leg[leg] = max(one, by_leg.get(leg, one), key=lambda known: known.score)
        return found

    def _explained(self, searched: Searched, placing: Placing, until: float) -> Explained:
        stages: dict[str, Any] = {"record": _record(placing)}
        if placing.record is not None:
            placing = replace(placing, legs=self._legs(placing, until))
            stages |= {**_index(placing.legs), **reached(searched, placing)}
        return Explained(placing.id, verdict(searched, placing), stages)

    def _legs(self, placing: Placing, until: float) -> frozenset[Leg] | None:
        left = max(0.0, until - self.searches.clock.monotonic())
        pending = self.searches.executor.submit(
            lambda: self.index.legs(placing.partition, placing.id)
        )
        try:
            return in_time(pending, timeout=left, stage="index")
        except (Unavailable, Throttled):
            return None


def _only(request: SearchRequest, expected: Sequence[str]) -> SearchRequest:
    """The request for these ids alone."""
    ids = OneOf("id", tuple(expected))
    return replace(request, filter=ids if request.filter is None else And((request.filter, ids)))


def _record(placing: Placing) -> dict[str, Any] | None:
    record = placing.record
    if record is None:
        return None
    status = record.status.value
    return {"namespace": placing.namespace, "status": status, "revision": record.revision}


def _index(legs: frozenset[Leg] | None) -> Mapping[str, Any]:
    return {} if legs is None else {"index": {"legs": sorted(leg.value for leg in legs)}}
