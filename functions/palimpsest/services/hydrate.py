"""Hydration: every hit is read back from the canonical table, and only what is true now
is served.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice

from palimpsest.domain.commits import Clock as NamespaceClock
from palimpsest.domain.filters import passes
from palimpsest.domain.fusion import FusedHit
from palimpsest.domain.names import MAX_ANSWER_BYTES
from palimpsest.domain.queries import SearchRequest
from palimpsest.domain.records import Record
from palimpsest.domain.visibility import searchable
from palimpsest.ports import Executor, RecordStore
from palimpsest.services.side_by_side import side_by_side

SLICE = 25
"""Candidates read at once, at most."""

FEWEST = 5
"""And at least, so that a few dropped ones cost one more read and not one each."""

BESIDE_CONTENT = 4_000
"""Bytes of a hit beside its record's own content, at most: snippet, ids, scores, explanation."""


@dataclass(slots=True)
class Page:
    """The hits of a page with their records, how many candidates were dropped, and whether bytes
    closed it.
    """

    hits: list[tuple[FusedHit, Record]] = field(default_factory=list)
    dropped: int = 0
    closed_early: bool = False
    size: int = 0

    def full(self, limit: int) -> bool:
        """Whether no further hit belongs on the page."""
        return self.closed_early or len(self.hits) >= limit


@dataclass(frozen=True, slots=True, kw_only=True)
class Hydration:
    """Fills pages of one request: each hit is read in its own namespace and judged by that
    namespace's clock, as it was read before the legs were asked.
    """

    store: RecordStore
    executor: Executor
    request: SearchRequest
    clocks: Mapping[str, NamespaceClock]
    now: datetime

    def fill(self, page: Page, fused: Iterable[FusedHit]) -> None:
        """Add hits to the page in rank order until it is full or the list ends.

        Dropped: what is unknown, forgotten, superseded, expired, not yet valid, no longer passing
        the filter, or whose text is not the one that was found.
        """
        namespaces, left = self.request.partitions, iter(fused)
        while not page.full(self.request.limit):
            lacking = max(FEWEST, self.request.limit - len(page.hits))
            chunk = list(islice(left, min(SLICE, lacking)))
            if not chunk:
                return
            placed = [(namespaces[hit.candidate.partition], hit) for hit in chunk]
            records = self._read(placed)
            for namespace, hit in placed:
                record = records[namespace].get(hit.id)
                if record is None or not self._served(record, hit, self.clocks[namespace]):
                    page.dropped += 1
                elif not page.full(self.request.limit):
                    _place(page, hit, record)

    def _read(self, placed: Sequence[tuple[str, FusedHit]]) -> dict[str, dict[str, Record]]:
        """By namespace, the records of its hits by id."""
        ids: dict[str, list[str]] = {}
        for namespace, hit in placed:
            ids.setdefault(namespace, []).append(hit.id)

        def read(namespace: str) -> dict[str, Record]:
            return self.store.read(self.request.tenant, namespace, ids[namespace])[1]

        return side_by_side(self.executor, read, ids)

    def _served(self, record: Record, hit: FusedHit, clock: NamespaceClock) -> bool:
        content, request = record.content, self.request
        return (
            searchable(record, clock, self.now)
            and content is not None
            and content.text_hash == hit.candidate.text_hash
            and passes(record, request.filter)
            and (request.time_range is None or request.time_range.holds(content.event_time))
        )


def _place(page: Page, hit: FusedHit, record: Record) -> None:
    content = record.content
    size = BESIDE_CONTENT + (content.size if content else 0)
    if page.hits and page.size + size > MAX_ANSWER_BYTES:
        page.closed_early = True
        return
    page.hits.append((hit, record))
    page.size += size
