"""Idempotency keys that are claimed before the work and settled after it."""

from contextlib import suppress
from typing import TYPE_CHECKING

from palimpsest.adapters.dynamodb import idempotency, items
from palimpsest.adapters.dynamodb.batches import TRIES
from palimpsest.adapters.dynamodb.client import translated
from palimpsest.domain.errors import Throttled
from palimpsest.domain.idempotency import Applied
from palimpsest.domain.instants import to_millis
from palimpsest.ports import Clock

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


class DynamoPassKeys:
    """`PassKeys` over the canonical table."""

    def __init__(self, table: str, client: "DynamoDBClient", clock: Clock) -> None:
        self._table = table
        self._client = client
        self._clock = clock

    def claim(self, tenant: str, namespace: str, claim: Applied) -> Applied | None:
        """See `PassKeys.claim`. A claim whose answer was lost finds itself, and is free."""
        pk = items.partition(tenant, namespace)
        for _ in range(TRIES):
            if self._put(claim, pk):
                return None
            found = idempotency.find(self._client, self._table, pk, claim.key, serial=True)
            if found is not None:
                return found
        raise Throttled("this key is claimed and freed all the time")

    def _put(self, claim: Applied, pk: str) -> bool:
        free_over_or_ours = "attribute_not_exists(pk) OR #until <= :now OR claim = :claim"
        try:
            with translated():
                self._client.put_item(
                    TableName=self._table,
                    Item=idempotency.key_item(claim, pk),
                    ConditionExpression=free_over_or_ours,
                    ExpressionAttributeNames={"#until": "until"},
                    ExpressionAttributeValues={
                        ":now": items.number(to_millis(self._clock.now())),
                        ":claim": {"S": claim.claim},
                    },
                )
        except self._client.exceptions.ConditionalCheckFailedException:
            return False
        return True

    def settle(self, tenant: str, namespace: str, answered: Applied) -> None:
        """See `PassKeys.settle`."""
        still_ours = "claim = :claim"
        failed = self._client.exceptions.ConditionalCheckFailedException
        with translated(), suppress(failed):
            self._client.put_item(
                TableName=self._table,
                Item=idempotency.key_item(answered, items.partition(tenant, namespace)),
                ConditionExpression=still_ours,
                ExpressionAttributeValues={":claim": {"S": answered.claim}},
            )

    def release(self, tenant: str, namespace: str, claim: Applied) -> None:
        """See `PassKeys.release`."""
        still_ours = "claim = :claim"
        failed = self._client.exceptions.ConditionalCheckFailedException
        with translated(), suppress(failed):
            self._client.delete_item(
                TableName=self._table,
                Key=items.key(items.partition(tenant, namespace), idempotency.key_sk(claim.key)),
                ConditionExpression=still_ours,
                ExpressionAttributeValues={":claim": {"S": claim.claim}},
            )
