"""Which index generation is read, kept in the canonical table."""

from typing import TYPE_CHECKING

from palimpsest.adapters.dynamodb import items
from palimpsest.adapters.dynamodb.batches import get_items
from palimpsest.adapters.dynamodb.client import translated
from palimpsest.domain.ledger import Reading

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

_KEY = items.key("#index", "READ")
_RESTORING = items.key("#index", "RESTORING")


class DynamoGenerationRegister:
    """`GenerationRegister` over one item of the table."""

    def __init__(self, table: str, client: "DynamoDBClient") -> None:
        self._table = table
        self._client = client

    def reading(self) -> Reading | None:
        """See `GenerationRegister.reading`."""
        with translated():
            found = get_items(self._client, self._table, [_KEY])
        return Reading(found[0]["gen"]["S"], found[0]["model"]["S"]) if found else None

    def use(self, reading: Reading) -> None:
        """See `GenerationRegister.use`."""
        item = {**_KEY, "gen": {"S": reading.generation}, "model": {"S": reading.fingerprint}}
        with translated():
            self._client.put_item(TableName=self._table, Item=item)

    def restoring(self) -> bool:
        """See `GenerationRegister.restoring`."""
        with translated():
            return bool(get_items(self._client, self._table, [_RESTORING]))

    def mark_restoring(self, *, begun: bool) -> None:
        """See `GenerationRegister.mark_restoring`."""
        with translated():
            if begun:
                self._client.put_item(TableName=self._table, Item=_RESTORING)
            else:
                self._client.delete_item(TableName=self._table, Key=_RESTORING)
