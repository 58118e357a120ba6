"""Documents: files that are kept as chunks, generation by generation, and where each stands."""

import base64
import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from palimpsest.domain.names import RESERVED_ID_PREFIX
from palimpsest.domain.records import MetadataValue

HASH_BYTES = 16
_CHUNK_ID = re.compile(rf"({RESERVED_ID_PREFIX}[a-z2-7]+)\.(\d+)\.(\d{{6,}})")


class DocumentState(StrEnum):
    """Where a document stands. Deleted ones are tombstones, which no list shows."""

    PENDING = "pending"
    INDEXING = "indexing"
    READY = "ready"
    NO_TEXT = "no_text"
    FAILED = "failed"
    DELETED = "deleted"


SETTLED = frozenset({DocumentState.READY, DocumentState.NO_TEXT, DocumentState.FAILED})


class ChunkKey(NamedTuple):
    """What a chunk's id is made of; a generation's chunks are numbered from 0 without a gap."""

    document_id: str
    generation: int
    ordinal: int

    def __str__(self) -> str:
        return f"{self.document_id}.{self.generation}.{self.ordinal:06}"

    @classmethod
    def of(cls, record_id: str) -> "ChunkKey | None":
        """The key in a record id; None where it is not a chunk's."""
        found = _CHUNK_ID.fullmatch(record_id)
        return cls(found[1], int(found[2]), int(found[3])) if found else None


def document_id(path: str) -> str:
    """The id of the document at a path (its object's key below the namespace, exactly): `doc_` and
    the first 128 bits of its SHA-256 in base 32.
    """
    digest = hashlib.sha256(path.encode()).digest()[:HASH_BYTES]
    return RESERVED_ID_PREFIX + base64.b32encode(digest).decode().rstrip("=").lower()


@dataclass(frozen=True, slots=True, kw_only=True)
class Generation:
    """One reading of a document, as chunks. It is current from the revision `since` (None: not yet)
    until before `until` (None: still, or still to come).
    """

    number: int
    chunks: int = 0
    characters: int = 0
    since: int | None = None
    until: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectVersion:
    """An object as it was seen: `version` tells it from every other one of its key; `etag` is its
    entity tag, the same for the same bytes that were sent in the same way.
    """

    version: str
    etag: str
    bytes: int
    modified: datetime
    content_type: str | None = None
    grant: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """Who is at work on a document: only under this `id` may anything be written of it. It may be
    taken for dead after `lease`. `tries` counts beginnings without progress, the last of which was
    `heard` of then; `pages` of chunks were laid out (None: not read yet) of so many `chunks` and
    `characters`, and so many pages are `done`, up to the `revision` of their last commit.
    """

    id: str
    generation: int
    lease: datetime
    heard: datetime
    tries: int = 1
    pages: int | None = None
    done: int = 0
    chunks: int = 0
    characters: int = 0
    title: str | None = None
    revision: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A document as the canonical table holds it. `object`: the version it shows, or is being made
    to show. `revision`: of its last flip or deletion (0: none yet). `base`: the namespace's clock
    when this was written, so what was written before a purge is known. `writes` grows with every
    write. `generations`: those not yet erased.
    """

    id: str
    namespace: str
    path: str
    state: DocumentState
    created_at: datetime
    updated_at: datetime
    reason: str | None = None
    detail: str | None = None
    object: ObjectVersion | None = None
    title: str | None = None
    metadata: Mapping[str, MetadataValue] = field(default_factory=dict)
    event_time: datetime | None = None
    attempt: Attempt | None = None
    generations: Sequence[Generation] = ()
    last_generation: int = 0
    revision: int = 0
    base: int = 0
    writes: int = 1

    @property
    def current(self) -> Generation | None:
        """The generation that readers see by now."""
        found = (g for g in self.generations if g.since is not None and g.until is None)
        return next(found, None)

    def generation(self, number: int) -> Generation | None:
        """The generation of that number, if it is not erased."""
        return next((g for g in self.generations if g.number == number), None)

    def with_generation(self, one: Generation) -> "Document":
        """The same with this generation in place of the one of its number, or beside the others."""
        others = [g for g in self.generations if g.number != one.number]
        return replace(self, generations=(*others, one))

    def without_generation(self, number: int) -> "Document":
        """The same once a generation has been erased."""
        left = tuple(g for g in self.generations if g.number != number)
        return replace(self, generations=left)


def is_there(document: Document | None, *, floor: int) -> bool:
    """Whether a document can be read: it was neither deleted nor purged."""
    return (
        document is not None
        and document.base >= floor
        and document.state is not DocumentState.DELETED
    )
