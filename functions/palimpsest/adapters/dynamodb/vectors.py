"""Held vectors on DynamoDB: one item a record and model, kept only while the record has
that text.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from palimpsest.adapters.dynamodb import items
from palimpsest.adapters.dynamodb.batches import get_items
from palimpsest.adapters.dynamodb.client import translated
from palimpsest.adapters.dynamodb.transaction import refused_for_good
from palimpsest.adapters.dynamodb.vector_items import vector_item
from palimpsest.domain.errors import Throttled
from palimpsest.domain.vectors import BYTES_PER_DIMENSION, Vector, from_float16

if TYPE_CHECKING:
    from botocore.exceptions import ClientError
    from mypy_boto3_dynamodb import DynamoDBClient

PAIRS = 50
"""Vectors in one transaction: a check of the record and a put of the vector each, of 100 items."""
TRIES = 8


class DynamoVectorStore:
    """`VectorStore` over the canonical table."""

    def __init__(self, table: str, client: "DynamoDBClient") -> None:
        self._table = table
        self._client = client

    def held(
        self,
        tenant: str,
        namespace: str,
        wanted: Mapping[str, str],
        *,
        fingerprint: str,
        dimension: int | None = None,
    ) -> dict[str, Vector]:
        """See `VectorStore.held`. A payload that is no vector is skipped, to be embedded again."""
        pk = items.partition(tenant, namespace)
        keys = [items.key(pk, items.vector_sk(record_id, fingerprint)) for record_id in wanted]
        with translated():
            found = get_items(self._client, self._table, keys) if keys else []
        vectors: dict[str, Vector] = {}
        for item in found:
            record_id, data = item["sk"]["S"].split("#")[1], item["vec"]["B"]
            if item["eh"]["S"] != wanted[record_id]:
                continue
            width = dimension or len(data) // BYTES_PER_DIMENSION
            vector = from_float16(data, dimension=width)
            if vector is not None:
                vectors[record_id] = vector
        return vectors

    def hold(
        self,
        tenant: str,
        namespace: str,
        vectors: Mapping[str, tuple[str, Vector]],
        *,
        fingerprint: str,
    ) -> set[str]:
        """See `VectorStore.hold`. A cancelled batch is sent again without the records that have
        changed.
        """
        kept: set[str] = set()
        ids = list(vectors)
        for start in range(0, len(ids), PAIRS):
            kept |= self._hold_batch(
                items.partition(tenant, namespace),
                {record_id: vectors[record_id] for record_id in ids[start : start + PAIRS]},
                fingerprint,
            )
        return kept

    def _hold_batch(
        self, pk: str, batch: dict[str, tuple[str, Vector]], fingerprint: str
    ) -> set[str]:
        for _ in range(TRIES):
            if not batch:
                return set()
            order = list(batch)
            writes = [
                write
                for record_id in order
                for write in self._pair(pk, record_id, *batch[record_id], fingerprint)
            ]
            try:
                with translated():
                    self._client.transact_write_items(TransactItems=writes)  # type: ignore[arg-type]
            except self._client.exceptions.TransactionCanceledException as error:
                if refused_for_good(error):
                    raise
                for record_id in _changed(error, order):
                    del batch[record_id]
            else:
                return set(order)
        raise Throttled("others keep writing these records")

    def _pair(
        self, pk: str, record_id: str, embedded_hash: str, vector: Vector, fingerprint: str
    ) -> Sequence[dict[str, Any]]:
        has_this_text = "eh = :eh"  # a tombstone has none, so it fails too
        check = {
            "ConditionCheck": {
                "TableName": self._table,
                "Key": items.key(pk, items.record_sk(record_id)),
                "ConditionExpression": has_this_text,
                "ExpressionAttributeValues": {":eh": {"S": embedded_hash}},
            }
        }
        item = vector_item(pk, record_id, embedded_hash, vector, fingerprint)
        return check, {"Put": {"TableName": self._table, "Item": item}}


def _changed(error: "ClientError", order: Sequence[str]) -> list[str]:
    reasons = error.response.get("CancellationReasons", [])
    return [
        record_id
        for record_id, check in zip(order, reasons[::2], strict=True)
        if check.get("Code") == "ConditionalCheckFailed"
    ]
