"""A record as JSON: every field of the contract, those not given as null or empty."""

from typing import Any

from palimpsest.domain.instants import to_text
from palimpsest.domain.records import ChunkOf, Content, Record


def content_json(content: Content | None) -> dict[str, Any]:
    """What the client wrote, with a place for what it did not give; all empty for a tombstone."""
    given = content.to_json() if content else {}
    source = given.get("source")
    return {
        "text": given.get("text"),
        "title": given.get("title"),
        "kind": given.get("kind"),
        "subject": given.get("subject"),
        "predicate": given.get("predicate"),
        "aliases": given.get("aliases", []),
        "entities": given.get("entities", []),
        "tags": given.get("tags", []),
        "location": given.get("location"),
        "event_time": given.get("event_time"),
        "valid_from": given.get("valid_from"),
        "valid_to": given.get("valid_to"),
        "expires_at": given.get("expires_at"),
        "importance": given.get("importance"),
        "source": {"uri": None, "title": None, "locator": None, **source}
        if isinstance(source, dict)
        else None,
        "metadata": given.get("metadata", {}),
        "supersedes": given.get("supersedes", []),
    }


def chunk_json(chunk: ChunkOf | None) -> dict[str, Any] | None:
    """Where in a document a chunk stands; None for a record of its own."""
    if chunk is None:
        return None
    return {
        "id": chunk.document_id,
        "generation": chunk.generation,
        "ordinal": chunk.ordinal,
        "heading_path": list(chunk.heading_path),
        "start": chunk.start,
        "end": chunk.end,
    }


def record_json(record: Record) -> dict[str, Any]:
    """The whole record."""
    return {
        "id": record.id,
        "namespace": record.namespace,
        "revision": record.read_as,
        "status": record.status.value,
        "superseded_by": record.superseded_by,
        **content_json(record.content),
        "created_at": to_text(record.created_at),
        "updated_at": to_text(record.updated_at),
        "content_hash": record.content.content_hash if record.content else None,
        "document": chunk_json(record.chunk),
    }
