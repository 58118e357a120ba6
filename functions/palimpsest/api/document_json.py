"""A document as JSON."""

import unicodedata
from typing import Any

from palimpsest.domain.documents import Document
from palimpsest.domain.instants import to_text


def document_json(document: Document) -> dict[str, Any]:
    """The document as it is answered everywhere, its path in Unicode's normal form C."""
    seen, current = document.object, document.current
    return {
        "id": document.id,
        "namespace": document.namespace,
        "path": unicodedata.normalize("NFC", document.path),
        "state": document.state.value,
        "reason": document.reason,
        "detail": document.detail,
        "title": document.title,
        "content_type": seen.content_type if seen else None,
        "bytes": seen.bytes if seen else None,
        "version": seen.version if seen else None,
        "chunks": current.chunks if current else 0,
        "characters": current.characters if current else 0,
        "progress": _progress(document),
        "generation": current.number if current else document.last_generation,
        "revision": document.revision,
        "metadata": {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in document.metadata.items()
        },
        "event_time": to_text(document.event_time) if document.event_time else None,
        "created_at": to_text(document.created_at),
        "updated_at": to_text(document.updated_at),
    }


def _progress(document: Document) -> dict[str, int] | None:
    """Of a reading under way, how many of its chunks are written; None before it is known how many
    there will be, and where nobody is at work.
    """
    attempt = document.attempt
    if attempt is None or not attempt.pages:
        return None
    return {"done": attempt.chunks * attempt.done // attempt.pages, "total": attempt.chunks}
