"""What the routes of records answer when they succeed."""

from typing import Any, Literal

from typing_extensions import TypedDict

from palimpsest.api.shapes import (
    ChunkPlace,
    Count,
    Cursor,
    Document,
    Instant,
    MetadataValue,
    Revision,
    Source,
    Warning,  # noqa: A004  # the contract's word
)


class Record(TypedDict):
    """A record as it is, or as it was at a revision. A tombstone has no content: its text is null,
    and so is all else that its client wrote.
    """

    id: str
    namespace: str
    revision: Revision
    status: Literal["active", "superseded", "deleted"]
    superseded_by: str | None
    text: str | None
    title: str | None
    kind: str | None
    subject: str | None
    predicate: str | None
    aliases: list[str]
    entities: list[str]
    tags: list[str]
    location: str | None
    event_time: Instant | None
    valid_from: Instant | None
    valid_to: Instant | None
    expires_at: Instant | None
    importance: float | None
    source: Source | None
    metadata: dict[str, MetadataValue]
    supersedes: list[str]
    created_at: Instant
    updated_at: Instant
    content_hash: str | None
    document: ChunkPlace | None


class Written(TypedDict):
    """A record that was put. `record` is null where a repeated answer's record has been forgotten
    since; `revision` is the record's.
    """

    record: Record | None
    changed: bool
    revision: Revision
    warnings: list[Warning]


class Forgotten(TypedDict):
    """A record that was forgotten, and the revision of its tombstone."""

    id: str
    revision: Revision


class OperationResult(TypedDict):
    """What became of one operation of a commit."""

    id: str
    revision: Revision
    changed: bool


class Committed(TypedDict):
    """A commit that was applied, its results in the order of its operations."""

    revision: Revision
    results: list[OperationResult]
    warnings: list[Warning]


class RecordsPage(TypedDict):
    """Records by their last change."""

    records: list[Record]
    next_cursor: Cursor


class RevisionsPage(TypedDict):
    """The history of a record, newest first."""

    revisions: list[Record]
    next_cursor: Cursor


class DocumentChange(TypedDict):
    """A document at its last flip or deletion."""

    document: Document


class ChangesPage(TypedDict):
    """What has changed, in the order of revisions. Below `floor`, the last purge, drop all you
    hold.
    """

    changes: list[Record | DocumentChange]
    revision: Revision
    floor: Revision
    next_cursor: Cursor


class NamespaceCounts(TypedDict):
    """How much a namespace holds."""

    active: Count
    superseded: Count
    deleted: Count
    documents: Count
    unsearchable: Count


class NamespaceStatus(TypedDict):
    """A namespace: its clock, how far the index is, its counts."""

    namespace: str
    revision: Revision
    indexed_revision: Revision
    lag: Count
    counts: NamespaceCounts
    embedding_model: str | None
    index_generation: str | None


class NamespaceEntry(TypedDict):
    """One namespace of the tenant."""

    namespace: str
    revision: Revision


class NamespacesPage(TypedDict):
    """The tenant's namespaces that the key may see."""

    namespaces: list[NamespaceEntry]
    next_cursor: Cursor


class UnsearchableItem(TypedDict):
    """One record or document that some leg cannot find, and why."""

    type: Literal["record", "document"]
    id: str
    reason: str
    detail: str | None
    since: Instant


class UnsearchablePage(TypedDict):
    """The ledger: everything that cannot be found on every leg."""

    items: list[UnsearchableItem]
    next_cursor: Cursor


class RetryAccepted(TypedDict):
    """How many entries of the ledger will be tried again."""

    accepted: Count


class Health(TypedDict):
    """The function runs."""

    status: Literal["ok"]
    version: str


class OpenApiDocument(TypedDict):
    """This document."""

    openapi: Literal["3.1.0"]
    info: dict[str, Any]
    servers: list[dict[str, Any]]
    paths: dict[str, Any]
    components: dict[str, Any]
