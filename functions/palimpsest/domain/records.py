"""Records: what a client may write, and what the service keeps beside it."""

import dataclasses
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from palimpsest.domain.instants import from_text, to_text
from palimpsest.domain.vectors import text_hash

MetadataValue = str | int | float | bool | tuple[str, ...]


_LISTS = frozenset({"aliases", "entities", "tags", "supersedes"})
_INSTANTS = frozenset({"event_time", "valid_from", "valid_to", "expires_at"})


class Status(StrEnum):
    """Where a record stands: found by search, replaced by another, or forgotten."""

    ACTIVE = "active"
    SUPERSEDED = "superseded"
    DELETED = "deleted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where a text comes from, for citing it."""

    uri: str | None = None
    title: str | None = None
    locator: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """Everything of a record that its client wrote. Instants are UTC-aware."""

    text: str
    title: str | None = None
    kind: str | None = None
    subject: str | None = None
    predicate: str | None = None
    aliases: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    location: str | None = None
    event_time: datetime | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    expires_at: datetime | None = None
    importance: float = 0.5
    source: Source | None = None
    metadata: Mapping[str, MetadataValue] = field(default_factory=dict)
    supersedes: tuple[str, ...] = ()
    title_first: bool = False
    """Of the service's own chunks: the title (their headings) is embedded before the text."""

    def to_json(self) -> dict[str, object]:
        """A JSON object of the fields that are given: lists as lists, instants as text."""
        found: dict[str, object] = {}
        for item in dataclasses.fields(self):
            value = getattr(self, item.name)
            if value is None or value is False or value in ((), {}):
                continue
            if isinstance(value, datetime):
                value = to_text(value)
            elif isinstance(value, tuple):
                value = list(value)
            elif isinstance(value, Source):
                value = {k: v for k, v in dataclasses.asdict(value).items() if v is not None}
            elif isinstance(value, Mapping):
                value = {k: list(v) if isinstance(v, tuple) else v for k, v in value.items()}
            found[item.name] = value
        return found

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> "Content":
        """The inverse of `to_json`."""
        values: dict[str, Any] = dict(found)
        for name in _LISTS & values.keys():
            values[name] = tuple(values[name])
        for name in _INSTANTS & values.keys():
            values[name] = from_text(values[name])
        if "source" in values:
            values["source"] = Source(**values["source"])
        if "metadata" in values:
            values["metadata"] = {
                k: tuple(v) if isinstance(v, list) else v for k, v in values["metadata"].items()
            }
        return cls(**values)

    @property
    def canonical(self) -> bytes:
        """One spelling of everything the client wrote: JSON with sorted keys, in UTF-8."""
        return json.dumps(
            self.to_json(), sort_keys=True, ensure_ascii=False, separators=(",", ":")
        ).encode()

    @property
    def size(self) -> int:
        """Bytes of the record as it is stored."""
        return len(self.canonical)

    @property
    def content_hash(self) -> str:
        """The identity of everything the client wrote: 32 hex digits."""
        return hashlib.sha256(self.canonical).hexdigest()[:32]

    @property
    def text_hash(self) -> str:
        """The identity of `text` alone: a hit whose record has another one by now is not served."""
        return text_hash(self.text)

    @property
    def embedded_text(self) -> str:
        """What the embedding model reads: the text, and below it the words by which it may be
        asked for, each once and without punctuation (measured in `docs/decisions/007`); of a chunk
        the headings above it stand before the text (047).
        """
        head = f"{self.title}\n" if self.title_first and self.title else ""
        names = [
            "" if head else self.title or "",
            self.subject or "",
            *self.aliases,
            (self.predicate or "").replace("_", " "),
            *self.tags,
            *self.entities,
            self.location or "",
        ]
        said = " ".join(dict.fromkeys(name for name in names if name.strip()))
        return f"{head}{self.text}\n{said}" if said else f"{head}{self.text}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkOf:
    """What a record is of a document, if it is a chunk: its place in a generation, the headings
    above it, and from where to before where it stands in the extracted text (characters).

    `since` and `until`: from which revision of the namespace's clock until before which the
    generation was its document's current one; None: it was not yet, or still is.
    """

    document_id: str
    generation: int
    ordinal: int
    start: int
    end: int
    heading_path: tuple[str, ...] = ()
    since: int | None = None
    until: int | None = None

    def current_at(self, revision: int) -> bool:
        """Whether its generation was current at that revision of the clock."""
        begun = self.since is not None and self.since <= revision
        return begun and (self.until is None or revision < self.until)


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A record as the canonical table holds it. `content` is None exactly when it is a tombstone.

    `revision` is the value of its namespace's clock at its last change. `history_floor` is the
    revision of the last forgetting of this id: nothing from at or before it is ever shown.
    """

    id: str
    namespace: str
    revision: int
    status: Status
    content: Content | None
    created_at: datetime
    updated_at: datetime
    superseded_by: str | None = None
    history_floor: int = 0
    chunk: ChunkOf | None = None

    @property
    def read_as(self) -> int:
        """The revision under which it is shown and cited, as of which it reads as it is: its own;
        of a chunk that at which its generation came into view.
        """
        since = self.chunk.since if self.chunk else None
        return max(self.revision, since or 0)
