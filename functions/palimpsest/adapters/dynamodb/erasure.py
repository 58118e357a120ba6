"""What forgetting leaves to be erased, and the erasing: histories and vectors, then the marker."""

from typing import TYPE_CHECKING

from palimpsest.adapters.dynamodb import items
from palimpsest.adapters.dynamodb.batches import get_items, query
from palimpsest.adapters.dynamodb.client import translated
from palimpsest.domain.commits import Erasure

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


class DynamoErasures:
    """`Erasures` over the canonical table."""

    def __init__(self, table: str, client: "DynamoDBClient") -> None:
        self._table = table
        self._client = client

    def due(self, tenant: str, namespace: str, *, limit: int) -> list[Erasure]:
        """See `Erasures.due`."""
        pk = items.partition(tenant, namespace)
        with translated():
            found = query(self._client, self._table, pk, first="E#", last="E#~", limit=limit)
            marks = [item["sk"]["S"].split("#") for item in found]
        return [Erasure(record_id, int(revision)) for _, record_id, revision in marks]

    def erase(self, tenant: str, namespace: str, erasure: Erasure) -> None:
        """See `Erasures.erase`. The marker goes last, so a killed erasure is taken up again."""
        pk = items.partition(tenant, namespace)
        with translated():
            self._erase_history(pk, erasure)
            self._erase_vectors(pk, erasure)
            marker = items.key(pk, items.erasure_sk(erasure.record_id, erasure.revision))
            self._client.delete_item(TableName=self._table, Key=marker)

    def _erase_history(self, pk: str, erasure: Erasure) -> None:
        first = items.history_sk(erasure.record_id, 0)
        last = items.history_sk(erasure.record_id, erasure.revision)
        for item in query(self._client, self._table, pk, first=first, last=last):
            key = {"pk": item["pk"], "sk": item["sk"]}
            self._client.delete_item(TableName=self._table, Key=key)

    def _erase_vectors(self, pk: str, erasure: Erasure) -> None:
        """Every vector but one of the text that a later record of the same id has."""
        record_key = items.key(pk, items.record_sk(erasure.record_id))
        current = [item.get("eh") for item in get_items(self._client, self._table, [record_key])]
        prefix = items.vector_sk(erasure.record_id, "")
        for item in query(self._client, self._table, pk, first=prefix, last=prefix + "~"):
            if item["eh"] in current:
                continue
            still_that_vector = "eh = :eh"
            try:
                self._client.delete_item(
                    TableName=self._table,
                    Key={"pk": item["pk"], "sk": item["sk"]},
                    ConditionExpression=still_that_vector,
                    ExpressionAttributeValues={":eh": item["eh"]},
                )
            except self._client.exceptions.ConditionalCheckFailedException:
                continue  # a newer record's vector has taken its place
