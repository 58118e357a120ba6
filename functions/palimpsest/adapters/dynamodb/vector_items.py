"""Held vectors as items: `V#{id}#{fingerprint}`, and what a commit does to them."""

from collections.abc import Iterator
from typing import Any

from palimpsest.adapters.dynamodb import items
from palimpsest.domain.commits import VectorChanges
from palimpsest.domain.vectors import Vector, to_float16


def vector_item(
    pk: str, record_id: str, embedded_hash: str, vector: Vector, fingerprint: str
) -> items.Item:
    """A vector as an item: the hash of the embedded text, and float16 bytes."""
    return {
        **items.key(pk, items.vector_sk(record_id, fingerprint)),
        "eh": {"S": embedded_hash},
        "vec": {"B": to_float16(vector)},
    }


def vector_changes(changes: VectorChanges, pk: str, table: str) -> Iterator[dict[str, Any]]:
    """The writes of a commit that make and retire the vectors of its own records: no condition is
    needed, since the texts are written in the same transaction.
    """
    for record_id, (embedded_hash, vector) in changes.made.items():
        item = vector_item(pk, record_id, embedded_hash, vector, changes.fingerprint)
        yield {"Put": {"TableName": table, "Item": item}}
    for record_id in changes.retired:
        for fingerprint in changes.of:
            key = items.key(pk, items.vector_sk(record_id, fingerprint))
            yield {"Delete": {"TableName": table, "Key": key}}
