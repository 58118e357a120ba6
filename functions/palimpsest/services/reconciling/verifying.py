"""Verifying a pass: the records it changed are read again, and the index is brought up to them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from palimpsest.domain.errors import Throttled, Unavailable
from palimpsest.domain.pass_report import Failure
from palimpsest.domain.passes import Pass, PlannedChange
from palimpsest.domain.planning import ChangeKind, digest, digest_text
from palimpsest.domain.records import Record, Status
from palimpsest.domain.visibility import exists
from palimpsest.ports import Clock, IndexLedger, RecordStore, SearchIndex
from palimpsest.services.projections import Projection

READ_BATCH = 100
FAILURES_TOLD = 500
"""What is kept of a pass has to fit into an item of the table."""

WRONG_TOLD = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class PageVerified:
    """What a page's records are after the pass: the digest of those that are as the list has them
    (`table`), how many clients have changed otherwise since (`newer`, by what was planned) with the
    digest of what the list had of them (`newer_listed`), and the ids that are neither (`wrong`).
    """

    table: int = 0
    newer_listed: int = 0
    newer: Mapping[ChangeKind, int] = field(default_factory=dict)
    wrong: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexVerified:
    """How far the index is after the pass (None: it could not be asked), and what of the pass it
    cannot find on every leg.
    """

    revision: int | None
    failed: Sequence[Failure] = ()
    verification: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyingService:
    """Verifies passes."""

    store: RecordStore
    ledger: IndexLedger
    index: SearchIndex
    projection: Projection
    clock: Clock

    def page(self, one: Pass, page: Sequence[PlannedChange]) -> PageVerified:
        """The records of a page, read again."""
        table = newer_listed = 0
        newer = Counter[ChangeKind]()
        wrong: list[str] = []
        for start in range(0, len(page), READ_BATCH):
            batch = page[start : start + READ_BATCH]
            clock, records = self.store.read(one.tenant, one.namespace, [c.id for c in batch])
            for change in batch:
                record = records.get(change.id)
                standing = record if record is not None and exists(record, clock) else None
                part = _part(change)
                if _is_as_planned(standing, change):
                    table += part
                elif record is not None and record.revision > one.base:
                    newer[change.kind] += 1
                    newer_listed += part
                else:
                    wrong.append(change.id)
        return PageVerified(table=table, newer_listed=newer_listed, newer=newer, wrong=tuple(wrong))

    def caught_up(self, tenant: str, namespace: str, *, until: float) -> bool:
        """Bring the index up to what the namespace is now: whether that was done by `until`. A
        commit that cannot be seen yet keeps nobody; the report tells how far the index is. Raises
        what table and index raise.
        """
        revision = self.store.read(tenant, namespace)[0].revision
        done = self.projection.project(tenant, namespace, upto=revision, until=until)
        return done.revision >= revision or self.clock.monotonic() < until

    def indexed(self, one: Pass, changed: Sequence[str], *, upto: int) -> IndexVerified:
        """Project the namespace to that revision, then tell how far the index is and what of these
        ids stands in its ledger. An index that cannot answer now is told, not raised: the records
        are applied.
        """
        told: dict[str, str] = {}
        try:
            self.projection.project(one.tenant, one.namespace, upto=upto)
        except (Unavailable, Throttled) as error:
            told = {"index": type(error).__name__}  # of any generation: what is read may be there
        try:
            generation = self.index.generation()
            revision = self.ledger.progress(one.tenant, one.namespace, generation).revision
        except (Unavailable, Throttled) as error:
            return IndexVerified(revision=None, verification={"index": type(error).__name__})
        asked = set(changed)
        entries = self.ledger.unsearchable(one.tenant, one.namespace, generation)
        failed = [Failure(id=e.id, reason=e.reason.value) for e in entries if e.id in asked]
        return IndexVerified(revision=revision, failed=failed[:FAILURES_TOLD], verification=told)


def _part(change: PlannedChange) -> int:
    if change.content is None:
        return 0
    return digest(change.id, change.content.content_hash)


def _is_as_planned(record: Record | None, change: PlannedChange) -> bool:
    active = record is not None and record.status is Status.ACTIVE
    if change.content is None:
        return not active
    content = record.content if record is not None else None
    return active and content is not None and content.content_hash == change.content.content_hash


def verification(
    *, listed: int, table: int, wrong: Sequence[str], index: IndexVerified, revision: int
) -> tuple[bool, dict[str, Any]]:
    """Whether the pass is proved, and by what: digests over id@content-hash of the list and of the
    table, without what clients have changed since the pass began; records that are as neither
    would have them; how far the index is, of `revision`.
    """
    told: dict[str, Any] = {
        "digests": {"list": digest_text(listed), "table": digest_text(table)},
        "wrong": list(wrong[:WRONG_TOLD]),
        "indexed_revision": index.revision,
        **index.verification,
    }
    equal = told["digests"]["list"] == told["digests"]["table"] and not wrong
    caught_up = index.revision is not None and index.revision >= revision
    return equal and caught_up, told
