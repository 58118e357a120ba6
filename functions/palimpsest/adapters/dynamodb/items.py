"""The items of the canonical table: keys, and records and log entries as attributes.

`pk` is `{tenant}#{namespace}`; `#` occurs in neither. Numbers in content keep their JSON form,
since DynamoDB's own numbers end at 38 digits.
"""

import json
from collections.abc import Mapping
from typing import Any

from palimpsest.domain.commits import Clock, LogEntry
from palimpsest.domain.documents import ChunkKey
from palimpsest.domain.instants import from_millis, to_millis
from palimpsest.domain.records import ChunkOf, Content, Record, Status
from palimpsest.domain.vectors import text_hash

Item = dict[str, Any]

CLOCK = "CLOCK"
FENCE = "SYNC"
DIRECTORY = "#tenants"
LAST = "\x7f"
"""Sorts after every character of a name or an id (`~` is one of theirs)."""

_COUNTS = {
    Status.ACTIVE: "n_active",
    Status.SUPERSEDED: "n_superseded",
    Status.DELETED: "n_deleted",
}


def partition(tenant: str, namespace: str) -> str:
    """The partition key of a namespace."""
    return f"{tenant}#{namespace}"


def key(pk: str, sk: str) -> Item:
    """A primary key."""
    return {"pk": {"S": pk}, "sk": {"S": sk}}


def directory_items(tenant: str, namespace: str) -> tuple[Item, Item]:
    """What names a namespace and its tenant in the directories."""
    return key(tenant, f"N#{namespace}"), key(DIRECTORY, f"T#{tenant}")


def record_sk(record_id: str) -> str:
    """Where the current record stands."""
    return f"R#{record_id}"


def history_sk(record_id: str, revision: int) -> str:
    """Where a former version stands."""
    return f"H#{record_id}#{revision:020}"


def erasure_sk(record_id: str, revision: int) -> str:
    """Where an erasure still to be done is marked."""
    return f"E#{record_id}#{revision:020}"


def vector_sk(record_id: str, fingerprint: str) -> str:
    """Where a record's vector of one model stands."""
    return f"V#{record_id}#{fingerprint}"


def log_sk(revision: int) -> str:
    """Where a commit stands in the log."""
    return f"C#{revision:020}"


def number(value: int) -> Item:
    """An integer attribute."""
    return {"N": str(value)}


def record_item(pk: str, sk: str, record: Record) -> Item:
    """A record, current or former, as an item."""
    item: Item = {
        **key(pk, sk),
        "rev": number(record.revision),
        "st": {"S": record.status.value},
        "ca": number(to_millis(record.created_at)),
        "ua": number(to_millis(record.updated_at)),
        "hf": number(record.history_floor),
    }
    if record.content is not None:
        body = json.dumps(record.content.to_json(), ensure_ascii=False, separators=(",", ":"))
        item["c"] = {"S": body}
        item["eh"] = {"S": text_hash(record.content.embedded_text)}
        item["ch"] = {"S": record.content.content_hash}
    if record.superseded_by is not None:
        item["sb"] = {"S": record.superseded_by}
    if record.chunk is not None:
        where = [record.chunk.start, record.chunk.end, *record.chunk.heading_path]
        item["doc"] = {"S": json.dumps(where, ensure_ascii=False)}
    return item


def record_of(item: Mapping[str, Any]) -> Record:
    """The inverse of `record_item`."""
    _, record_id, *_ = item["sk"]["S"].split("#")
    return Record(
        id=record_id,
        namespace=item["pk"]["S"].partition("#")[2],
        revision=int(item["rev"]["N"]),
        status=Status(item["st"]["S"]),
        content=Content.from_json(json.loads(item["c"]["S"])) if "c" in item else None,
        created_at=from_millis(int(item["ca"]["N"])),
        updated_at=from_millis(int(item["ua"]["N"])),
        superseded_by=item["sb"]["S"] if "sb" in item else None,
        history_floor=int(item["hf"]["N"]),
        chunk=_chunk_of(record_id, item["doc"]["S"]) if "doc" in item else None,
    )


def _chunk_of(record_id: str, told: str) -> ChunkOf | None:
    key, (start, end, *headings) = ChunkKey.of(record_id), json.loads(told)
    if key is None:
        return None
    return ChunkOf(**key._asdict(), start=start, end=end, heading_path=tuple(headings))


def clock_of(item: Mapping[str, Any] | None) -> Clock:
    """A namespace's clock; revision 0 where there is no item."""
    if item is None:
        return Clock(counts=dict.fromkeys(Status, 0))
    return Clock(
        revision=int(item["rev"]["N"]),
        counts={status: int(item[name]["N"]) for status, name in _COUNTS.items()},
        floor=int(item["fl"]["N"]) if "fl" in item else 0,
        purged_at=from_millis(int(item["ft"]["N"])) if "ft" in item else None,
    )


def count_values(counts: Mapping[Status, int]) -> dict[str, Item]:
    """The counts of a clock item by attribute name."""
    return {name: number(counts[status]) for status, name in _COUNTS.items()}


def log_item(pk: str, entry: LogEntry, *, by: str) -> Item:
    """A log entry as an item: no content."""
    return {
        **key(pk, log_sk(entry.revision)),
        "prev": number(entry.previous),
        "cid": {"S": entry.commit_id},
        "ids": {"L": [{"S": record_id} for record_id in entry.record_ids]},
        "was": {"L": [number(revision) for revision in entry.before]},
        "at": number(to_millis(entry.at)),
        "by": {"S": by},
        **({"doc": {"S": entry.document_id}} if entry.document_id else {}),
    }


def log_entry_of(item: Mapping[str, Any]) -> LogEntry:
    """The inverse of `log_item`. The oldest entries name no revisions before."""
    return LogEntry(
        revision=int(item["sk"]["S"].removeprefix("C#")),
        previous=int(item["prev"]["N"]),
        commit_id=item["cid"]["S"],
        record_ids=tuple(entry["S"] for entry in item["ids"]["L"]),
        at=from_millis(int(item["at"]["N"])),
        before=tuple(int(revision["N"]) for revision in item.get("was", {"L": []})["L"]),
        document_id=item["doc"]["S"] if "doc" in item else None,
    )


def size_of(item: Mapping[str, Any]) -> int:
    """The size of an item in bytes as DynamoDB counts it (names, UTF-8 strings, numbers), rounded
    up.

    Source: Amazon DynamoDB developer guide, "Item sizes and formats".
    """
    return sum(len(name.encode()) + _value_size(value) for name, value in item.items())


def _value_size(value: Mapping[str, Any]) -> int:
    ((kind, inner),) = value.items()
    if kind == "S":
        return len(inner.encode())
    if kind == "N":
        return len(inner) // 2 + 2
    if kind == "B":
        return len(inner)
    if kind == "L":
        return 3 + sum(1 + _value_size(entry) for entry in inner)
    return 1
