"""The canonical table of a running stack, read from below once nobody writes any more."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from e2e.history import ACTIVE, DELETED, SUPERSEDED, Entry, Table, Version
from e2e.index_at_rest import TENANT, table
from palimpsest.adapters.dynamodb import items
from stack import LocalStack


def table_of(stack: LocalStack, namespace: str) -> Table:
    """The clock, the commit log, and every version of every record that is still there."""
    clock, log, versions = 0, list[Entry](), dict[tuple[str, int], Version]()
    for item in _items(stack, namespace):
        kind = item["sk"]["S"].partition("#")[0]
        if kind == items.CLOCK:
            clock = items.clock_of(item).revision
        elif kind == "C":
            entry = items.log_entry_of(item)
            before = dict(zip(entry.record_ids, entry.before, strict=True))
            assert len(before) == len(entry.record_ids), entry
            log.append(Entry(entry.revision, entry.previous, before))
        elif kind in {"R", "H"}:
            record = items.record_of(item)
            text = record.content.text if record.content else None
            version = Version(record.revision, record.status.value, text)
            versions[record.id, record.revision] = version
    return Table(clock, log, versions)


def current_of(stack: LocalStack, namespace: str) -> dict[str, Version]:
    """Every record and tombstone as it is now."""
    found = {}
    for item in _items(stack, namespace):
        if item["sk"]["S"].startswith("R#"):
            record = items.record_of(item)
            text = record.content.text if record.content else None
            found[record.id] = Version(record.revision, record.status.value, text)
    return found


def counts(records: dict[str, Version]) -> dict[str, int]:
    """How many records have each status."""
    found = Counter(version.status for version in records.values())
    return {status: found[status] for status in (ACTIVE, SUPERSEDED, DELETED)}


def _items(stack: LocalStack, namespace: str) -> Iterator[dict[str, Any]]:
    """The namespace's items in the order of their keys."""
    pages = (
        table(stack)
        .get_paginator("query")
        .paginate(
            TableName=stack.values["TABLE_NAME"],
            ConsistentRead=True,
            KeyConditionExpression="pk = :pk",
            ExpressionAttributeValues={":pk": {"S": items.partition(TENANT, namespace)}},
        )
    )
    for page in pages:
        yield from page["Items"]
