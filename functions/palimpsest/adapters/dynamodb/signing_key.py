"""The key that signs cursors: made by whichever function needs it first, kept in the table."""

import secrets
from contextlib import suppress
from typing import TYPE_CHECKING

from palimpsest.adapters.dynamodb import items
from palimpsest.adapters.dynamodb.batches import get_items
from palimpsest.adapters.dynamodb.client import translated

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

_KEY = items.key("#service", "CURSORS")
_BYTES = 32


class DynamoSigningKey:
    """Reads the key once a process. Deleting its item ends every cursor that was given out."""

    def __init__(self, table: str, client: "DynamoDBClient") -> None:
        self._table = table
        self._client = client
        self._known: bytes | None = None

    def __call__(self) -> bytes:
        """The key; all processes over one table have the same."""
        if self._known is None:
            with translated():
                self._known = self._read() or self._made()
        return self._known

    def _read(self) -> bytes | None:
        found = get_items(self._client, self._table, [_KEY])
        return found[0]["key"]["B"] if found else None

    def _made(self) -> bytes:
        item = {**_KEY, "key": {"B": secrets.token_bytes(_BYTES)}}
        with suppress(self._client.exceptions.ConditionalCheckFailedException):
            self._client.put_item(
                TableName=self._table, Item=item, ConditionExpression="attribute_not_exists(pk)"
            )
        (kept,) = get_items(self._client, self._table, [_KEY])
        key: bytes = kept["key"]["B"]
        return key
