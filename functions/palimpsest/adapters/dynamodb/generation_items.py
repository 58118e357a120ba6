"""What the table keeps for one generation of the index: progress, ledger, its model's vectors."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from palimpsest.adapters.dynamodb import items
from palimpsest.adapters.dynamodb.batches import delete_items, query
from palimpsest.adapters.dynamodb.client import translated

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


class DynamoGenerationItems:
    """`GenerationItems` over the canonical table."""

    def __init__(self, table: str, client: "DynamoDBClient") -> None:
        self._table = table
        self._client = client

    def remove(
        self, tenant: str, namespace: str, *, generation: str, fingerprint: str | None
    ) -> int:
        """See `GenerationItems.remove`."""
        pk = items.partition(tenant, namespace)
        with translated():
            gone = [
                items.key(pk, f"INDEX#{generation}"),
                *self._keys(pk, f"U#{generation}#"),
            ]
            if fingerprint is not None:
                gone += self._keys(pk, "V#", end=f"#{fingerprint}")
            delete_items(self._client, self._table, gone)
        return len(gone)

    def _keys(self, pk: str, prefix: str, *, end: str = "") -> Iterator[items.Item]:
        for item in query(
            self._client,
            self._table,
            pk,
            first=prefix,
            last=prefix + items.LAST,
            attributes=("pk", "sk"),
        ):
            if item["sk"]["S"].endswith(end):
                yield {"pk": item["pk"], "sk": item["sk"]}
