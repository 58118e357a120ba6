"""Idempotency keys as items: `K#{hash of the key}`, beside the records they changed."""

import json
import random
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from palimpsest.adapters.dynamodb import items
from palimpsest.adapters.dynamodb.batches import TRIES, get_items
from palimpsest.adapters.dynamodb.client import translated
from palimpsest.domain.errors import Throttled
from palimpsest.domain.idempotency import KEPT_FOR, Applied, IdempotencyKey, Outcome
from palimpsest.domain.instants import from_millis, to_millis

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


def keep_write(applied: Applied, pk: str, table: str) -> dict[str, Any]:
    """The write that keeps it; its condition fails where the key is taken and its time not over."""
    free_or_over = "attribute_not_exists(pk) OR #until <= :now"
    return {
        "Put": {
            "TableName": table,
            "Item": key_item(applied, pk),
            "ConditionExpression": free_or_over,
            "ExpressionAttributeNames": {"#until": "until"},
            "ExpressionAttributeValues": {
                ":now": items.number(to_millis(applied.until - KEPT_FOR))
            },
        }
    }


def find(
    client: "DynamoDBClient", table: str, pk: str, key: IdempotencyKey, *, serial: bool
) -> Applied | None:
    """What is kept under a key. A plain read may come between the items of a transaction that is
    under way; a `serial` one waits for its end.
    """
    wanted = items.key(pk, key_sk(key))
    with translated():
        if not serial:
            found = get_items(client, table, [wanted])
            return applied_of(found[0]) if found else None
        item = _get_serially(client, table, wanted)
        return applied_of(item) if item else None


def _get_serially(
    client: "DynamoDBClient", table: str, key: items.Item
) -> Mapping[str, Any] | None:
    for attempt in range(TRIES):
        try:
            answer = client.transact_get_items(
                TransactItems=[{"Get": {"TableName": table, "Key": key}}]
            )
        except client.exceptions.TransactionCanceledException:
            time.sleep(random.uniform(0, 0.05 * 2**attempt))  # noqa: S311  # full jitter
        else:
            return answer["Responses"][0].get("Item")
    raise Throttled("others are writing under this key")


def key_sk(key: IdempotencyKey) -> str:
    """Where what is kept under a key stands."""
    return f"K#{key.key_hash}"


def key_item(applied: Applied, pk: str) -> items.Item:
    """What is kept under a key, as an item."""
    outcomes = [[o.id, o.revision, o.changed, o.created] for o in applied.outcomes]
    until = to_millis(applied.until)
    return {
        **items.key(pk, key_sk(applied.key)),
        "req": {"S": applied.key.request_hash},
        "rev": items.number(applied.revision),
        "out": {"S": json.dumps(outcomes, separators=(",", ":"))},
        "n": items.number(applied.count),
        "until": items.number(until),
        "ttl": items.number(until // 1000 + 1),
        **{
            name: {"S": told}
            for name, told in (
                ("claim", applied.claim),
                ("job", applied.job),
                ("rep", applied.report),
            )
            if told
        },
    }


def applied_of(item: Mapping[str, Any]) -> Applied:
    """The inverse of `key_item`."""
    key_hash = item["sk"]["S"].removeprefix("K#")
    return Applied(
        key=IdempotencyKey(key_hash, item["req"]["S"]),
        until=from_millis(int(item["until"]["N"])),
        revision=int(item["rev"]["N"]),
        outcomes=tuple(
            Outcome(id=i, revision=revision, changed=changed, created=created)
            for i, revision, changed, created in json.loads(item["out"]["S"])
        ),
        count=int(item["n"]["N"]),
        claim=item.get("claim", {"S": ""})["S"],
        job=item.get("job", {"S": ""})["S"],
        report=item.get("rep", {"S": ""})["S"],
    )
