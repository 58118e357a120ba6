"""Hydration: every hit is read back from the canonical table, and only what is true now
is served.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from palimpsest.domain.commits import Clock as NamespaceClock
from palimpsest.domain.errors import Throttled, Unavailable
from palimpsest.domain.fusion import FusedHit
from palimpsest.domain.loss import Loss, loss_of
from palimpsest.domain.names import MAX_ANSWER_BYTES
from palimpsest.domain.queries import SearchRequest
from palimpsest.domain.records import Record
from palimpsest.ports import Clock, Executor, RecordStore
from palimpsest.services.side_by_side import side_by_side

STAGE = "hydrate"
SLICE = 25
"""Candidates read at once, at most."""

FEWEST = 5
"""And at least, so that a few dropped ones cost one more read and not one each."""

BESIDE_CONTENT = 4_000
"""Bytes of a hit beside its record's own content, at most: snippet, ids, scores, explanation."""


@dataclass(slots=True)
class Page:
    """Hits with their records, at most `limit`; `taken`: so many of the list are on it or were
    dropped; why each of those was; whether bytes closed it, or the table did, which stopped to
    answer.
    """

    limit: int
    hits: list[tuple[FusedHit, Record]] = field(default_factory=list)
    taken: int = 0
    dropped: list[tuple[FusedHit, Loss]] = field(default_factory=list)
    closed_early: bool = False
    cut_off: bool = False
    size: int = 0

    def is_full(self) -> bool:
        """Whether no further hit comes onto the page."""
        return self.closed_early or self.cut_off or len(self.hits) >= self.limit


@dataclass(frozen=True, slots=True, kw_only=True)
class Hydration:
    """Fills pages of one request: each hit is read in its own namespace and judged by that
    namespace's clock, as it was read before the legs were asked. It ends at `until` (monotonic
    seconds).
    """

    store: RecordStore
    executor: Executor
    clock: Clock
    request: SearchRequest
    clocks: Mapping[str, NamespaceClock]
    now: datetime
    until: float

    def fill(self, page: Page, hits: Sequence[FusedHit]) -> None:
        """Add hits to the page in their order until it is full or the list ends, from `page.taken`
        on.

        Dropped: what is unknown, forgotten, superseded, expired, not yet valid, no longer passing
        the filter, or whose text is not the one that was found. Where the table cannot answer, the
        page ends with the hits it has; raises `Unavailable` or `Throttled` where it has none.
        """
        while not page.is_full() and page.taken < len(hits):
            lacking = max(FEWEST, page.limit - len(page.hits))
            chunk = hits[page.taken : page.taken + min(SLICE, lacking)]
            try:
                records = self._read(chunk)
            except (Unavailable, Throttled):
                if not page.hits:
                    raise
                page.cut_off = True
                return
            for hit in chunk:
                if page.is_full():
                    return
                self._place(page, hit, records)

    def _place(
        self, page: Page, hit: FusedHit, records: Mapping[str, Mapping[str, Record]]
    ) -> None:
        namespace = self.request.partitions[hit.candidate.partition]
        record = records[namespace].get(hit.id)
        loss = loss_of(
            record,
            self.request,
            self.clocks[namespace],
            now=self.now,
            text_hash=hit.candidate.text_hash,
        )
        if record is None or loss is not None:
            page.dropped.append((hit, loss or Loss.UNKNOWN))
            page.taken += 1
            return
        size = BESIDE_CONTENT + (record.content.size if record.content else 0)
        if page.hits and page.size + size > MAX_ANSWER_BYTES:
            page.closed_early = True
            return
        page.hits.append((hit, record))
        page.size += size
        page.taken += 1

    def _read(self, chunk: Sequence[FusedHit]) -> dict[str, dict[str, Record]]:
        """By namespace, the records of these hits by id."""
        ids: dict[str, list[str]] = {}
        for hit in chunk:
            namespace = self.request.partitions[hit.candidate.partition]
            ids.setdefault(namespace, []).append(hit.id)

        def read(namespace: str) -> dict[str, Record]:
            return self.store.read(self.request.tenant, namespace, ids[namespace])[1]

        return side_by_side(
            self.executor, read, ids, clock=self.clock, until=self.until, stage=STAGE
        )
