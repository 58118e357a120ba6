"""Keys in their own DynamoDB table: one item per key, by `id`.

Imports botocore's errors and types only, so that the authorizer starts quickly.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from botocore.exceptions import BotoCoreError, ClientError

from palimpsest.domain import instants
from palimpsest.domain.errors import Unavailable
from palimpsest.domain.keys import Grant, Scope, StoredKey

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

_CONDITION_FAILED = "ConditionalCheckFailedException"


class DynamoKeyStore:
    """A `KeyStore` on the table named `table`."""

    def __init__(self, client: "DynamoDBClient", *, table: str) -> None:
        self._client = client
        self._table = table

    def get(self, key_id: str) -> StoredKey | None:
        """See `KeyStore.get`."""
        with _outages():
            answer = self._client.get_item(
                TableName=self._table, Key={"id": {"S": key_id}}, ConsistentRead=True
            )
        item = answer.get("Item")
        return None if item is None else _from_item(item)

    def put(self, key: StoredKey) -> None:
        """See `KeyStore.put`."""
        with _outages():
            self._client.put_item(TableName=self._table, Item=_to_item(key))

    def disable(self, key_id: str) -> bool:
        """See `KeyStore.disable`."""
        there = "attribute_exists(id)"  # an update would otherwise make an item without a hash
        try:
            with _outages():
                self._client.update_item(
                    TableName=self._table,
                    Key={"id": {"S": key_id}},
                    UpdateExpression="SET disabled = :yes",
                    ConditionExpression=there,
                    ExpressionAttributeValues={":yes": {"BOOL": True}},
                )
        except ClientError:
            return False
        return True

    def all(self) -> Iterator[StoredKey]:
        """See `KeyStore.all`."""
        pages = self._client.get_paginator("scan").paginate(
            TableName=self._table, ConsistentRead=True
        )
        with _outages():
            for page in pages:
                yield from map(_from_item, page["Items"])


@contextmanager
def _outages() -> Iterator[None]:
    """Every failure of the table as `Unavailable`, but a failed condition, which is an answer."""
    try:
        yield
    except ClientError as error:
        if error.response["Error"]["Code"] == _CONDITION_FAILED:
            raise
        raise Unavailable("the table of keys cannot answer", stage="keys") from error
    except BotoCoreError as error:
        raise Unavailable("the table of keys cannot answer", stage="keys") from error


def _to_item(key: StoredKey) -> dict[str, Any]:
    grant = key.grant
    item: dict[str, Any] = {
        "id": {"S": grant.key_id},
        "secret_sha256": {"S": key.secret_sha256},
        "tenant": {"S": grant.tenant},
        "scopes": {"L": [{"S": scope} for scope in sorted(grant.scopes)]},
        "namespaces": {"L": [{"S": pattern} for pattern in grant.namespaces]},
        "disabled": {"BOOL": key.disabled},
        "created_at": {"S": instants.to_text(key.created_at)},
    }
    if grant.expires_at is not None:
        item["expires_at"] = {"S": instants.to_text(grant.expires_at)}
    return item


def _from_item(item: Mapping[str, Any]) -> StoredKey:
    expires_at = item.get("expires_at")
    return StoredKey(
        grant=Grant(
            tenant=item["tenant"]["S"],
            key_id=item["id"]["S"],
            scopes=frozenset(Scope(scope["S"]) for scope in item["scopes"]["L"]),
            namespaces=tuple(pattern["S"] for pattern in item["namespaces"]["L"]),
            expires_at=None if expires_at is None else instants.from_text(expires_at["S"]),
        ),
        secret_sha256=item["secret_sha256"]["S"],
        created_at=instants.from_text(item["created_at"]["S"]),
        disabled=item["disabled"]["BOOL"],
    )
