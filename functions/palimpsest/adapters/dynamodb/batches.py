"""Reads of many items: batches that finish what the service left unprocessed, and paged queries."""

import random
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from palimpsest.domain.errors import Throttled

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

BATCH = 100
WRITE_BATCH = 25
TRIES = 6


def get_items(
    client: "DynamoDBClient",
    table: str,
    keys: Sequence[dict[str, Any]],
    *,
    attributes: Sequence[str] = (),
) -> list[dict[str, Any]]:
    """The items that exist under these keys, strongly consistent, in no order; of each only these
    `attributes`, if any are named. `Throttled` at the end of its patience.
    """
    found: list[dict[str, Any]] = []
    asked: Any = {"ConsistentRead": True}
    if attributes:
        asked["ProjectionExpression"] = ", ".join(attributes)
    if len(keys) == 1:
        item = client.get_item(TableName=table, Key=keys[0], **asked).get("Item")
        return [item] if item else []
    for batch in _batched(keys):
        left: list[Any] = list(batch)
        for attempt in range(TRIES):
            answer = client.batch_get_item(RequestItems={table: asked | {"Keys": left}})
            found += answer["Responses"].get(table, [])
            undone = answer["UnprocessedKeys"].get(table)
            left = list(undone["Keys"]) if undone else []
            if not left:
                break
            time.sleep(random.uniform(0, 0.05 * 2**attempt))  # noqa: S311  # full jitter
        else:
            raise Throttled("the table left reads undone")
    return found


def delete_items(client: "DynamoDBClient", table: str, keys: Sequence[dict[str, Any]]) -> None:
    """Delete the items under these keys, those that are gone already too; one named twice is one.
    `Throttled` at the end of its patience.
    """
    distinct = list({(key["pk"]["S"], key["sk"]["S"]): key for key in keys}.values())
    for start in range(0, len(distinct), WRITE_BATCH):
        batch = distinct[start : start + WRITE_BATCH]
        left: Any = [{"DeleteRequest": {"Key": key}} for key in batch]
        for attempt in range(TRIES):
            answer = client.batch_write_item(RequestItems={table: left})
            left = answer["UnprocessedItems"].get(table)
            if not left:
                break
            time.sleep(random.uniform(0, 0.05 * 2**attempt))  # noqa: S311  # full jitter
        else:
            raise Throttled("the table left deletions undone")


def query(
    client: "DynamoDBClient",
    table: str,
    pk: str,
    *,
    first: str,
    last: str,
    newest_first: bool = False,
    limit: int | None = None,
    attributes: Sequence[str] = (),
) -> Iterator[dict[str, Any]]:
    """The items of a partition with `first` <= sk <= `last`, strongly consistent, at most `limit`;
    of each only these `attributes`, if any are named.
    """
    wanted: dict[str, Any] = {
        "TableName": table,
        "ConsistentRead": True,
        "ScanIndexForward": not newest_first,
        "KeyConditionExpression": "pk = :pk AND sk BETWEEN :first AND :last",
        "ExpressionAttributeValues": {
            ":pk": {"S": pk},
            ":first": {"S": first},
            ":last": {"S": last},
        },
    }
    if attributes:
        wanted["ProjectionExpression"] = ", ".join(attributes)
    left = limit
    while left is None or left > 0:
        if left is not None:
            wanted["Limit"] = left
        page = client.query(**wanted)
        yield from page["Items"]
        if left is not None:
            left -= len(page["Items"])
        if "LastEvaluatedKey" not in page:
            return
        wanted["ExclusiveStartKey"] = page["LastEvaluatedKey"]


def _batched(keys: Sequence[dict[str, Any]]) -> Iterator[Sequence[dict[str, Any]]]:
    for start in range(0, len(keys), BATCH):
        yield keys[start : start + BATCH]
