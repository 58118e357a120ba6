"""`SearchIndex` on OpenSearch."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TypeVar

from opensearchpy import OpenSearch

from palimpsest.adapters.opensearch import walking
from palimpsest.adapters.opensearch.asking import Asker, left_until
from palimpsest.adapters.opensearch.bulk import BulkWriter
from palimpsest.adapters.opensearch.catalogue import Catalogue, write_alias
from palimpsest.adapters.opensearch.client import STAGE, Missing, translated, whole
from palimpsest.adapters.opensearch.documents import prepared
from palimpsest.adapters.opensearch.strays import strays
from palimpsest.domain.entries import (
    Entry,
    EntryState,
    Leg,
    LegQuery,
    LegResult,
    WriteResult,
)
from palimpsest.domain.errors import DeadlineExceeded, GenerationGone
from palimpsest.domain.filters import Filter
from palimpsest.domain.generations import Generation
from palimpsest.domain.ledger import Reading
from palimpsest.domain.lexical import FieldWeights

T = TypeVar("T")

REMEMBERED_S = 15.0
"""How long a process goes on reading the index it knows before it asks which one is read now."""

LOOKED_UP_S = 3.0
"""How long the question which index is read may take, where its asker names no time."""


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
        self._asker = Asker(client)
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
        """As in `SearchIndex`, in one `_msearch`; two, if a word turns out to be common."""
        if not queries:
            return []
        end = time.monotonic() + timeout

        def asked(standing: Generation) -> list[LegResult]:
            return self._asker.asked(standing, queries, end=end)

        return self._with_standing(asked, generation=generation, until=end)

    def walk(self, partition: str) -> Iterator[EntryState]:
        """As in `SearchIndex`, as of the moment at which the walk begins."""
        yield from walking.entries(self._client, self._standing().name, partition)

    def strays(self, partition: str, *, remove: bool = False) -> int:
        """As in `SearchIndex`."""
        return strays(self._client, self._standing().name, partition, remove=remove)

    def legs(self, partition: str, record_id: str) -> frozenset[Leg]:
        """As in `SearchIndex`."""
        return self._with_standing(
            lambda standing: walking.legs(self._client, standing.name, partition, record_id)
        )

    def matching(self, partition: str, where: Filter, *, after: str = "", limit: int) -> list[str]:
        """As in `SearchIndex`."""
        return self._with_standing(
            lambda standing: walking.matching(
                self._client, standing.name, partition, where, after=after, limit=limit
            )
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

    def _standing(self, *, fresh: bool = False, until: float | None = None) -> Generation:
        if self._pinned is not None:
            return self._pinned
        end = time.monotonic() + LOOKED_UP_S if until is None else until
        if not self._lock.acquire(
            timeout=left_until(end)
        ):  # another thread waits for the same answer
            raise DeadlineExceeded("the index did not answer in time", stage=STAGE)
        try:
            known, now = self._known, time.monotonic()
            if known is not None and not fresh and now < known[1]:
                return known[0]
            standing = self._catalogue.reading(timeout=left_until(end))
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
        gone, once more on the one that is read now, unless it must be that `generation`: then it
        raises `GenerationGone`. Which one is read is found out before `until`.
        """
        standing = self._seen.get(generation or "") or self._standing(until=until)
        if generation not in (None, standing.id):
            raise GenerationGone("the index was replaced meanwhile", stage=STAGE)
        try:
            return work(standing)
        except Missing as error:
            fresh = self._standing(fresh=True, until=until)
            if fresh == standing:
                raise
            if generation is not None:
                raise GenerationGone("the index was replaced meanwhile", stage=STAGE) from error
            return work(fresh)
