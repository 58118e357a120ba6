"""Documents as items: `D#{document id}`."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from palimpsest.adapters.dynamodb import items
from palimpsest.domain.documents import (
    Attempt,
    Document,
    DocumentState,
    Generation,
    ObjectVersion,
)
from palimpsest.domain.instants import from_text, to_text

_PREFIX = "D#"


def document_sk(document_id: str) -> str:
    """Where a document stands."""
    return f"{_PREFIX}{document_id}"


def under_way_sk(document_id: str) -> str:
    """Where it is marked that somebody is at work on a document."""
    return f"W#{document_id}"


def document_item(pk: str, document: Document) -> items.Item:
    """A document as an item. What conditions and counts look at are attributes of their own."""
    told = {
        name: value
        for name, value in asdict(document).items()
        if name not in {"id", "namespace", "state", "base", "writes"}
    }
    item = {
        **items.key(pk, document_sk(document.id)),
        "st": {"S": document.state.value},
        "rev": items.number(document.base),
        "w": items.number(document.writes),
        "d": {"S": json.dumps(told, ensure_ascii=False, separators=(",", ":"), default=to_text)},
    }
    if document.attempt is not None:
        item["attempt"] = {"S": document.attempt.id}
    return item


def document_of(item: Mapping[str, Any]) -> Document:
    """The inverse of `document_item`."""
    told = json.loads(item["d"]["S"])
    event = told.pop("event_time")
    return Document(
        **told
        | {
            "id": item["sk"]["S"].removeprefix(_PREFIX),
            "namespace": item["pk"]["S"].partition("#")[2],
            "state": DocumentState(item["st"]["S"]),
            "base": int(item["rev"]["N"]),
            "writes": int(item["w"]["N"]),
            "created_at": from_text(told["created_at"]),
            "updated_at": from_text(told["updated_at"]),
            "event_time": from_text(event) if event else None,
            "metadata": {
                name: tuple(value) if isinstance(value, list) else value
                for name, value in told["metadata"].items()
            },
            "object": _part(ObjectVersion, told["object"], "modified"),
            "attempt": _part(Attempt, told["attempt"], "lease", "heard"),
            "generations": tuple(Generation(**one) for one in told["generations"]),
        }
    )


def _part(kind: type[Any], told: dict[str, Any] | None, *instants: str) -> Any:
    return told and kind(**told | {name: from_text(told[name]) for name in instants})
