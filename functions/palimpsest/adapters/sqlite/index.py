"""`SearchIndex` in one SQLite file, for up to some ten thousand records a namespace."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import apsw

from palimpsest.adapters.sqlite import walking
from palimpsest.adapters.sqlite.asking import Asked, Limits, answer
from palimpsest.adapters.sqlite.failures import STAGE, Damaged
from palimpsest.adapters.sqlite.file import Identity, IndexFile, open_file
from palimpsest.adapters.sqlite.filtering import passing
from palimpsest.adapters.sqlite.views import Views
from palimpsest.adapters.sqlite.writing import apply, erases, prepared
from palimpsest.domain.entries import (
    Entry,
    EntryState,
    Leg,
    LegQuery,
    LegResult,
    LegStatus,
    WriteResult,
)
from palimpsest.domain.errors import GenerationGone, Unavailable
from palimpsest.domain.filters import Filter
from palimpsest.domain.ledger import Reading
from palimpsest.domain.lexical import COMMON_SHARE, FieldWeights

T = TypeVar("T")
Opened = tuple[IndexFile, Views]


class SqliteIndex:
    """The embedded index in `folder`, opened at its first use and shared by threads and processes.

    `fingerprint` names the embedding model of every vector in it: a file of another model is
    replaced by an empty one of a new generation, as is a damaged file, or one that was deleted.
    `busy_seconds` is how long to wait for another process. `cached_entries` bounds what is held in
    memory, in entries of all partitions. `vacuum_limit` (bytes): see `IndexFile.scrub`. Everything
    raises `Unavailable`.
    """

    keeps_time = False

    def __init__(
        self,
        folder: Path,
        *,
        fingerprint: str,
        weights: FieldWeights | None = None,
        common_share: float = COMMON_SHARE,
        exact_rows: int = 4_000,
        shortlist: int = 1_000,
        cached_entries: int = 200_000,
        busy_seconds: float = 10.0,
        vacuum_limit: int = 64 * 2**20,
    ) -> None:
        self._folder = folder
        self._fingerprint = fingerprint
        self._weights = weights or FieldWeights()
        self._limits = Limits(common_share=common_share, exact_rows=exact_rows, shortlist=shortlist)
        self._cached_entries = cached_entries
        self._busy_seconds = busy_seconds
        self._vacuum_limit = vacuum_limit
        self._opening = threading.Lock()
        self._opened: Opened | None = None

    def generation(self) -> str:
        """The generation of the file that stands now."""
        return self._current()[0].generation

    def reading(self, *, timeout: float | None = None) -> Reading:  # noqa: ARG002
        """As in `SearchIndex`."""
        return Reading(self.generation(), self._fingerprint)

    def refresh(self) -> None:
        """As in `SearchIndex`: a write is visible when it returns."""

    def write(self, entries: Sequence[Entry], *, visible: bool = True) -> list[WriteResult]:  # noqa: ARG002
        """As in `SearchIndex`; what tombstones removed is gone from the file on return."""
        ready = [prepared(entry) for entry in entries]

        def written(opened: Opened) -> list[WriteResult]:
            file, _ = opened
            with file.writing() as connection:
                results = apply(connection, ready)
            if erases(entries, results):
                file.scrub(vacuum_limit=self._vacuum_limit)
            if not file.is_current():
                raise Unavailable("the index was replaced during a write", stage=STAGE)
            return results

        return self._guarded(written)

    def search(
        self,
        queries: Sequence[LegQuery],
        *,
        timeout: float,
        generation: str | None = None,
    ) -> list[LegResult]:
        """As in `SearchIndex`; a leg that is not begun within `timeout` seconds has status
        `timeout`.
        """
        until = time.monotonic() + timeout

        def asked_of(opened: Opened) -> list[Sequence[Asked]]:
            if generation not in (None, opened[0].generation):
                raise GenerationGone("the index was replaced meanwhile", stage=STAGE)
            return self._asked(opened, queries)

        asked = self._guarded(asked_of)
        return [
            self._answer(query, those, until=until)
            for query, those in zip(queries, asked, strict=True)
        ]

    def walk(self, partition: str) -> Iterator[EntryState]:
        """As in `SearchIndex`, in pages; entries written meanwhile may or may not be among them."""
        after = ""
        while page := self._page(partition, after):
            yield from page
            after = page[-1].id

    def strays(self, partition: str, *, remove: bool = False) -> int:  # noqa: ARG002
        """As in `SearchIndex`: a key of the file allows one entry an id."""
        return 0

    def legs(self, partition: str, record_id: str) -> frozenset[Leg]:
        """As in `SearchIndex`."""
        return self._guarded(lambda opened: walking.legs(opened[0], partition, record_id))

    def matching(self, partition: str, where: Filter, *, after: str = "", limit: int) -> list[str]:
        """As in `SearchIndex`."""
        return self._guarded(
            lambda opened: walking.matching(opened[0], partition, where, after=after, limit=limit)
        )

    def heights(self) -> Iterator[tuple[str, int]]:
        """As in `SearchIndex`, as of one state of the file."""
        yield from self._guarded(lambda opened: walking.heights(opened[0]))

    def renew(self) -> str:
        """As in `SearchIndex`. Of several processes that renew at once each may do so in turn."""
        condemned = self._current()[0].identity
        return self._current(condemned=condemned)[0].generation

    def close(self) -> None:
        """Let go of the file; it is opened again when needed."""
        with self._opening:
            opened, self._opened = self._opened, None
        if opened is not None:
            opened[0].close()

    def _page(self, partition: str, after: str) -> list[EntryState]:
        return self._guarded(lambda opened: walking.page(opened[0], partition, after))

    def _asked(self, opened: Opened, queries: Sequence[LegQuery]) -> list[Sequence[Asked]]:
        file, views = opened
        known: dict[tuple[object, ...], Sequence[Asked]] = {}
        with file.reading() as connection:
            for query in queries:
                key = _scope(query)
                if key not in known:
                    several = (_one(name, query, views, connection) for name in query.partitions)
                    known[key] = [one for one in several if one is not None]
        return [known[_scope(query)] for query in queries]

    def _answer(self, query: LegQuery, asked: Sequence[Asked], *, until: float) -> LegResult:
        began = time.monotonic()
        if began >= until:
            return LegResult(leg=query.leg, status=LegStatus.TIMEOUT, reason="timeout")
        result = answer(query, asked, fingerprint=self._fingerprint, limits=self._limits)
        return replace(result, ms=1000 * (time.monotonic() - began))

    def _current(self, *, condemned: Identity | None = None) -> Opened:
        """The file that stands now, opened if need be; a `condemned` one is replaced first."""
        with self._opening:
            opened = self._opened
            if opened is not None and opened[0].is_current() and opened[0].identity != condemned:
                return opened
            file = open_file(
                self._folder,
                fingerprint=self._fingerprint,
                busy_seconds=self._busy_seconds,
                condemned=condemned,
            )
            self._opened = file, Views(weights=self._weights, capacity=self._cached_entries)
            return self._opened

    def _guarded(self, work: Callable[[Opened], T]) -> T:
        """Do `work` on the file that stands; if that is found damaged, replace it and say so."""
        opened = self._current()
        try:
            return work(opened)
        except Damaged:
            self._current(condemned=opened[0].identity)
            raise


def _scope(query: LegQuery) -> tuple[object, ...]:
    """What the legs of one question share: the filter as an object, since 1 and True are equal."""
    return query.partitions, query.now, id(query.filter), query.time_range


def _one(name: str, query: LegQuery, views: Views, connection: apsw.Connection) -> Asked | None:
    view = views.of(name, connection)
    if view is None:
        return None
    allowed = view.current(query.now, query.time_range)
    if query.filter is not None:
        size = int(view.numbers.max(axis=0, initial=0)) + 1
        fits = passing(connection, query.filter, partition=view.partition, entries=size)
        allowed &= fits[view.numbers]
    return Asked(name, view, allowed)
