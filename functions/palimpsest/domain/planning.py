"""What a reconcile pass will do: a pure function of a namespace's records and the state desired.

A pass begins at a revision, its `base`: everything at or below it is the past that the pass puts in
order. What a client has changed above it came after the pass began, and stands until the next one.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256

from palimpsest.domain.names import RESERVED_ID_PREFIX
from palimpsest.domain.records import Status

_MODULUS = 1 << 256


class ChangeKind(StrEnum):
    """What a pass does to a record: it becomes active, gets other content, or leaves."""

    ADDED = "added"
    UPDATED = "updated"
    REMOVED = "removed"


@dataclass(frozen=True, slots=True)
class Standing:
    """A record as planning sees it. `content_hash` is None for a tombstone."""

    id: str
    revision: int
    status: Status
    content_hash: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PassPlan:
    """What a pass will do, as ids in order: `added` become active, `updated` get other content,
    `removed` leave the active ones. `newer` were changed by clients after the pass began, and are
    left as they are.

    `kept_digest` is the `digest` of what is unchanged, `unchanged` how many they are.
    """

    added: tuple[str, ...]
    updated: tuple[str, ...]
    removed: tuple[str, ...]
    unchanged: int
    kept_digest: int
    newer: tuple[str, ...]

    @property
    def ids(self) -> Mapping[ChangeKind, tuple[str, ...]]:
        """The ids of each kind of change."""
        return {
            ChangeKind.ADDED: self.added,
            ChangeKind.UPDATED: self.updated,
            ChangeKind.REMOVED: self.removed,
        }


def plan_pass(
    current: Iterable[Standing], desired: Mapping[str, str], *, base: int, floor: int
) -> PassPlan:
    """The plan that makes `desired` (content hashes by id) the active records of a namespace.

    `current` are its records, each id once, in any order; those at or below the purge `floor` are
    absent, and the service's own (chunks of documents) are no concern of a pass.
    """
    missing = dict.fromkeys(desired)
    updated, removed, newer, unchanged, kept = list[str](), list[str](), list[str](), 0, 0
    for record in current:
        if record.revision <= floor or record.id.startswith(RESERVED_ID_PREFIX):
            continue
        active = record.status is Status.ACTIVE
        wanted = desired.get(record.id)
        if active and wanted is not None and record.content_hash == wanted:
            unchanged, kept = unchanged + 1, kept + digest(record.id, wanted)
        elif record.revision > base and (active or wanted is not None):
            newer.append(record.id)
        elif active:
            (removed if wanted is None else updated).append(record.id)
        else:
            continue
        missing.pop(record.id, None)
    return PassPlan(
        added=tuple(sorted(missing)),
        updated=tuple(sorted(updated)),
        removed=tuple(sorted(removed)),
        unchanged=unchanged,
        kept_digest=kept % _MODULUS,
        newer=tuple(sorted(newer)),
    )


def digest(record_id: str, content_hash: str) -> int:
    """A record's part in the digest of a set of records, which is the sum of their parts modulo
    2**256: it can be told of a set that is never in memory as a whole.

    Source: Bellare and Micciancio, A New Paradigm for Collision-free Hashing (1997), AdHash.
    """
    return int.from_bytes(sha256(f"{record_id}@{content_hash}".encode()).digest())


def digest_text(total: int) -> str:
    """A digest as 64 hex digits."""
    return f"{total % _MODULUS:064x}"
