"""`SearchIndex` on OpenSearch."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, TypeVar

from opensearchpy import OpenSearch

from palimpsest.adapters.opensearch import walking
from palimpsest.adapters.opensearch.answers import missing_index, results
from palimpsest.adapters.opensearch.bulk import BulkWriter
from palimpsest.adapters.opensearch.catalogue import Catalogue, write_alias
from palimpsest.adapters.opensearch.client import STAGE, Missing, translated, whole
from palimpsest.adapters.opensearch.documents import prepared
from palimpsest.adapters.opensearch.questions import Question, payload, question
from palimpsest.domain.entries import (
    Entry,
    EntryState,
    Leg,
    LegQuery,
    LegResult,
    LegStatus,
    WriteResult,
)
from palimpsest.domain.errors import DeadlineExceeded
from palimpsest.domain.generations import Generation
from palimpsest.domain.ledger import Reading
from palimpsest.domain.lexical import FieldWeights

T = TypeVar("T")

REMEMBERED_S = 15.0
"""How long a process goes on reading the index it knows before it asks which one is read now."""

LOOKED_UP_S = 3.0
"""How long the question which index is read may take, where its asker names no time."""

ENGINE_SHARE = 0.8
"""The engine's own time-out as a share of the request's, so that it ends first and says so."""


class OpenSearchIndex:
    """One index of a catalogue: the one that is read, or of the generation `pinned`.

    Which one is read is remembered for a few seconds; a search names the very index, so a query
    vector never meets vectors of another model. Serves many threads. Everything raises
    `Unavailable`.
    """

    keeps_time = True

    def __init__(
        self,
        client: OpenSearch,
        catalogue: Catalogue,
        *,
        pinned: Generation | None = None,
        weights: FieldWeights | None = None,
        patience_s: float = 20.0,
    ) -> None:
        self._client = client
        self._catalogue = catalogue
        self._pinned = pinned
        self._weights = weights or FieldWeights()
        self._writer = BulkWriter(client=client, patience_s=patience_s)
        self._lock = threading.Lock()
        self._known: tuple[Generation, float] | None = None
        self._seen: dict[str, Generation] = {}

    def generation(self) -> str:
        """As in `SearchIndex`."""
        return self._standing().id

    def reading(self, *, timeout: float | None = None) -> Reading:
        """As in `SearchIndex`."""
        until = None if timeout is None else time.monotonic() + timeout
        standing = self._standing(until=until)
        return Reading(standing.id, standing.fingerprint)

    def write(self, entries: Sequence[Entry], *, visible: bool = True) -> list[WriteResult]:
        """As in `SearchIndex`."""
        if not entries:
            return []
        now = datetime.now(UTC)

        def written(standing: Generation) -> list[WriteResult]:
            ready = [
                prepared(entry, dimension=standing.dimension, weights=self._weights, now=now)
                for entry in entries
            ]
            return self._writer.write(ready, alias=write_alias(standing.name))

        outcomes = self._with_standing(written)
        if visible:
            self.refresh()
        return outcomes

    def refresh(self) -> None:
        """As in `SearchIndex`."""
        self._with_standing(self._refreshed)

    def search(
        self, queries: Sequence[LegQuery], *, timeout: float, generation: str | None = None
    ) -> list[LegResult]:
        """As in `SearchIndex`, in one `_msearch`."""
        if not queries:
            return []
        end = time.monotonic() + timeout

        def asked(standing: Generation) -> list[LegResult]:
            left = _left(end)
            questions = [
                question(
                    query,
                    fingerprint=standing.fingerprint,
                    dimension=standing.dimension,
                    timeout=ENGINE_SHARE * left,
                )
                for query in queries
            ]
            if time.monotonic() >= end:
                return [one.answer or _late(one) for one in questions]
            return self._asked(standing, questions, timeout=left)

        return self._with_standing(asked, generation=generation, until=end)

    def walk(self, partition: str) -> Iterator[EntryState]:
        """As in `SearchIndex`, as of the moment at which the walk begins."""
        yield from walking.entries(self._client, self._standing().name, partition)

    def legs(self, partition: str, record_id: str) -> frozenset[Leg]:
        """As in `SearchIndex`."""
        return self._with_standing(
            lambda standing: walking.legs(self._client, standing.name, partition, record_id)
        )

    def heights(self) -> Iterator[tuple[str, int]]:
        """As in `SearchIndex`."""
        yield from walking.heights(self._client, self._standing().name)

    def renew(self) -> str:
        """As in `SearchIndex`; every other generation is removed."""
        old = self._standing(fresh=True)
        others = self._catalogue.kept()
        new = self._catalogue.create(
            max(one.number for one in others) + 1,
            fingerprint=old.fingerprint,
            dimension=old.dimension,
        )
        self._catalogue.read_from(new, old=old)
        for one in others:
            self._catalogue.drop(replace(one, read=False))
        return self._standing(fresh=True).id

    def _refreshed(self, standing: Generation) -> None:
        with translated():
            whole(self._client.indices.refresh(index=standing.name))

    def _asked(
        self, standing: Generation, questions: Sequence[Question], *, timeout: float
    ) -> list[LegResult]:
        start = time.monotonic()
        responses: Sequence[Any] = ()
        if any(one.bodies for one in questions):
            try:
                responses = self._sent(payload(questions, index=standing.name), timeout=timeout)
            except DeadlineExceeded:
                return [one.answer or _late(one) for one in questions]
        if missing_index(responses):
            raise Missing("the index is not there to be asked")
        took = 1000 * (time.monotonic() - start)
        return [replace(one, ms=took) for one in results(questions, responses)]

    def _sent(self, body: bytes, *, timeout: float) -> list[Any]:
        with translated():
            answer = self._client.msearch(body=body, params={"request_timeout": timeout})
            return list(answer["responses"])

    def _standing(self, *, fresh: bool = False, until: float | None = None) -> Generation:
        if self._pinned is not None:
            return self._pinned
        end = time.monotonic() + LOOKED_UP_S if until is None else until
        if not self._lock.acquire(timeout=_left(end)):  # another thread waits for the same answer
            raise DeadlineExceeded("the index did not answer in time", stage=STAGE)
        try:
            known, now = self._known, time.monotonic()
            if known is not None and not fresh and now < known[1]:
                return known[0]
            standing = self._catalogue.reading(timeout=_left(end))
            self._known = standing, now + REMEMBERED_S
            self._seen[standing.id] = standing
            return standing
        finally:
            self._lock.release()

    def _with_standing(
        self,
        work: Callable[[Generation], T],
        *,
        generation: str | None = None,
        until: float | None = None,
    ) -> T:
        """Do `work` on the index that is read (or was, where it was that `generation`); if that is
        gone, once more on the one that is read now. Which one that is, is found out before `until`.
        """
        standing = self._seen.get(generation or "") or self._standing(until=until)
        try:
            return work(standing)
        except Missing:
            fresh = self._standing(fresh=True, until=until)
            if fresh == standing:
                raise
            return work(fresh)


def _left(end: float) -> float:
    """The seconds until then; a moment if there are none."""
    return max(0.01, end - time.monotonic())


def _late(one: Question) -> LegResult:
    return LegResult(leg=one.query.leg, status=LegStatus.TIMEOUT, reason="timeout")
