"""Planning a pass: the list against the table, and the plan in pages."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from palimpsest.domain.batching import batched
from palimpsest.domain.errors import InvalidRequest
from palimpsest.domain.pass_report import IDS_TOLD
from palimpsest.domain.passes import Pass, PlannedChange
from palimpsest.domain.planning import ChangeKind, PassPlan, digest, plan_pass
from palimpsest.domain.vectors import text_hash
from palimpsest.ports import RecordScan, VectorStore
from palimpsest.services.reconciling.pass_files import Desired, PassFiles

PAGE_CHANGES = 250
PAGE_BYTES = 4_000_000
MOST_RECORDS = 250_000
"""In one list: a pass holds an id and a hash of each in memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """A plan in numbers, and how many pages it has. `listed`: the digest of the list without what
    is `newer`, `kept` that of what is unchanged. `embedded` texts have no held vector, `reused`
    ones have. `ids`: the first of each kind.
    """

    counts: Mapping[ChangeKind, int]
    unchanged: int
    newer: int
    listed: int
    kept: int
    embedded: int
    reused: int
    pages: int
    ids: Mapping[ChangeKind, Sequence[str]]

    @property
    def changes(self) -> int:
        """How many records it changes."""
        return sum(self.counts.values())

    def to_json(self) -> dict[str, Any]:
        """As it is kept; the digests are longer than JSON's numbers."""
        return {**asdict(self), "listed": str(self.listed), "kept": str(self.kept)}

    @classmethod
    def from_json(cls, found: dict[str, Any]) -> "Planned":
        """The inverse of `to_json`."""
        return cls(**{**found, "listed": int(found["listed"]), "kept": int(found["kept"])})


@dataclass(frozen=True, slots=True)
class PlanningService:
    """Plans passes. `fingerprint` and `dimension`: of the model whose vectors are looked for."""

    scan: RecordScan
    vectors: VectorStore
    fingerprint: str
    dimension: int | None = None

    def plan(
        self, one: Pass, desired: Callable[[], Iterable[Desired]], files: PassFiles | None
    ) -> Planned:
        """The plan; its pages are kept in `files` (None: in none, a dry run). First those that put,
        then those that remove: whoever reads half-way misses nothing that is on the list.

        `desired` gives the list anew at each call. Raises `InvalidRequest` for an id that is on it
        twice, for more than `MOST_RECORDS`, and for a list that changes while it is read.
        """
        hashes = {i: content.content_hash for i, content in distinct(desired())}
        standing = self.scan.standing(one.tenant, one.namespace)
        plan = plan_pass(standing, hashes, base=one.base, floor=one.floor)
        newer = set(plan.newer)
        listed = sum(digest(i, hash_) for i, hash_ in hashes.items() if i not in newer)
        embedded = reused = pages = 0
        for page in self._pages(plan, hashes, desired()):
            if files is not None:
                files.keep_page(pages, page)
            needed, held = self._texts(one, page)
            embedded, reused, pages = embedded + needed, reused + held, pages + 1
        return Planned(
            counts={kind: len(ids) for kind, ids in plan.ids.items()},
            unchanged=plan.unchanged,
            newer=len(plan.newer),
            listed=listed,
            kept=plan.kept_digest,
            embedded=embedded,
            reused=reused,
            pages=pages,
            ids={kind: ids[:IDS_TOLD] for kind, ids in plan.ids.items()},
        )

    def _pages(
        self, plan: PassPlan, hashes: dict[str, str], desired: Iterable[Desired]
    ) -> Iterator[list[PlannedChange]]:
        changing = dict.fromkeys(plan.added, ChangeKind.ADDED)
        changing |= dict.fromkeys(plan.updated, ChangeKind.UPDATED)

        def puts() -> Iterator[PlannedChange]:
            changed = InvalidRequest.one("body", "active", msg="the list has changed meanwhile")
            left = len(hashes)
            for record_id, content in desired:
                if hashes.get(record_id) != content.content_hash:
                    raise changed
                left -= 1
                if record_id in changing:
                    yield PlannedChange(changing[record_id], record_id, content)
            if left:
                raise changed

        removals = (PlannedChange(ChangeKind.REMOVED, record_id) for record_id in plan.removed)
        for changes in (puts(), removals):
            yield from batched(changes, most=PAGE_CHANGES, size=PAGE_BYTES, size_of=_size)

    def _texts(self, one: Pass, page: Sequence[PlannedChange]) -> tuple[int, int]:
        """How many texts of a page have no held vector, and how many have."""
        texts = {c.id: text_hash(c.content.embedded_text) for c in page if c.content is not None}
        if not texts:
            return 0, 0
        held = self.vectors.held(
            one.tenant,
            one.namespace,
            texts,
            fingerprint=self.fingerprint,
            dimension=self.dimension,
        )
        return len(texts) - len(held), len(held)


def distinct(desired: Iterable[Desired]) -> Iterator[Desired]:
    """A list as it is walked. Raises `InvalidRequest` for an id that is on it twice, and for more
    than `MOST_RECORDS`.
    """
    seen: set[str] = set()
    for number, (record_id, content) in enumerate(desired):
        if record_id in seen:
            msg = "this id is on the list twice"
            raise InvalidRequest.one("body", "active", number, "id", msg=msg, kind="twice")
        if number == MOST_RECORDS:
            msg = f"a list has at most {MOST_RECORDS} records"
            raise InvalidRequest.one("body", "active", msg=msg, kind="too_long")
        seen.add(record_id)
        yield record_id, content


def _size(change: PlannedChange) -> int:
    return change.content.size if change.content is not None else 0
