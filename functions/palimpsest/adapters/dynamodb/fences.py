"""A namespace's fence as one item, `SYNC`."""

import random
import time
from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from palimpsest.adapters.dynamodb import items
from palimpsest.adapters.dynamodb.batches import get_items
from palimpsest.adapters.dynamodb.client import translated
from palimpsest.domain.commits import Clock
from palimpsest.domain.errors import Throttled
from palimpsest.domain.instants import to_millis
from palimpsest.domain.passes import UNORDERED, Fence

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

SETTLING_TRIES = 16
MAX_PAUSE_S = 0.4
Write = dict[str, Any]


def fence_check(attempt: str, pk: str, table: str) -> Write:
    """The part of a transaction that holds only while the fence bears this attempt."""
    still_ours = "attempt = :attempt"
    return {
        "ConditionCheck": {
            "TableName": table,
            "Key": items.key(pk, items.FENCE),
            "ConditionExpression": still_ours,
            "ExpressionAttributeValues": {":attempt": {"S": attempt}},
        }
    }


def fence_replaced(attempt: str, pk: str, table: str) -> Write:
    """The part of a transaction that ends every pass which has begun; R stays as it is."""
    return {
        "Update": {
            "TableName": table,
            "Key": items.key(pk, items.FENCE),
            "UpdateExpression": "SET attempt = :attempt",
            "ExpressionAttributeValues": {":attempt": {"S": attempt}},
        }
    }


class DynamoFences:
    """`Fences` over the canonical table."""

    def __init__(self, table: str, client: "DynamoDBClient") -> None:
        self._table = table
        self._client = client

    def begin(
        self,
        tenant: str,
        namespace: str,
        revision: int,
        *,
        attempt: str,
        asked: datetime,
        at_once: bool = True,
    ) -> bool:
        """See `Fences.begin`."""
        update = "SET attempt = :attempt, asked = :asked"
        values = {":attempt": {"S": attempt}, ":asked": items.number(to_millis(asked))}
        conditions = list[str]()
        none_later = "attribute_not_exists(asked) OR asked <= :asked"
        if revision != UNORDERED:
            none_newer = "attribute_not_exists(begun) OR begun <= :revision"
            conditions.append(none_newer)
            none_later += " OR begun < :revision"
            update += ", begun = :revision"
            values[":revision"] = items.number(revision)
        if not at_once:
            conditions.append(none_later)
        told = " AND ".join(f"({one})" for one in conditions)
        condition = {"ConditionExpression": told} if told else {}
        return self._update(tenant, namespace, update, values, condition)

    def read(self, tenant: str, namespace: str) -> Fence:
        """See `Fences.read`."""
        key = items.key(items.partition(tenant, namespace), items.FENCE)
        with translated():
            found = get_items(self._client, self._table, [key])
        return _fence_of(found[0] if found else None)

    def settled(self, tenant: str, namespace: str) -> tuple[Fence, Clock]:
        """See `Fences.settled`."""
        pk = items.partition(tenant, namespace)
        gets = [
            {"Get": {"TableName": self._table, "Key": items.key(pk, sk)}}
            for sk in (items.FENCE, items.CLOCK)
        ]
        for attempt in range(SETTLING_TRIES):
            try:
                with translated():
                    answer = self._client.transact_get_items(TransactItems=gets)  # type: ignore[arg-type]
            except self._client.exceptions.TransactionCanceledException:
                _pause(attempt)
            else:
                fence, clock = (found.get("Item") for found in answer["Responses"])
                return _fence_of(fence), items.clock_of(clock)
        raise Throttled("others keep writing to this namespace")

    def finish(self, tenant: str, namespace: str, revision: int, *, attempt: str) -> bool:
        """See `Fences.finish`."""
        still_ours = "attempt = :attempt"
        values = {":attempt": {"S": attempt}}
        update = "SET done = :attempt"
        if revision != UNORDERED:
            update += ", applied = :revision"
            values[":revision"] = items.number(revision)
        return self._update(tenant, namespace, update, values, {"ConditionExpression": still_ours})

    def _update(
        self,
        tenant: str,
        namespace: str,
        update: str,
        values: Mapping[str, items.Item],
        condition: Mapping[str, str],
    ) -> bool:
        """Whether the condition held. A commit under way stands in the way for a moment."""
        for number in range(SETTLING_TRIES):
            try:
                with translated():
                    self._client.update_item(
                        TableName=self._table,
                        Key=items.key(items.partition(tenant, namespace), items.FENCE),
                        UpdateExpression=update,
                        ExpressionAttributeValues=values,
                        **condition,  # type: ignore[arg-type]
                    )
            except self._client.exceptions.ConditionalCheckFailedException:
                return False
            except Throttled:
                _pause(number)
            else:
                return True
        raise Throttled("others keep writing to this namespace")


def _pause(attempt: int) -> None:
    ceiling = min(MAX_PAUSE_S, 0.02 * 2**attempt)
    time.sleep(random.uniform(0, ceiling))  # noqa: S311  # full jitter


def _fence_of(item: Mapping[str, Any] | None) -> Fence:
    if item is None:
        return Fence()
    return Fence(
        begun=int(item["begun"]["N"]) if "begun" in item else 0,
        attempt=item["attempt"]["S"],
        applied=int(item["applied"]["N"]) if "applied" in item else 0,
    )
