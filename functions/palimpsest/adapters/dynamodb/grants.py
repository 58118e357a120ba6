"""What was told of documents before they were uploaded, as items: `UP#{grant}`."""

import json
from typing import TYPE_CHECKING

from palimpsest.adapters.dynamodb import items
from palimpsest.adapters.dynamodb.batches import get_items
from palimpsest.adapters.dynamodb.client import translated
from palimpsest.domain.document_attempts import Granted
from palimpsest.domain.instants import from_text, to_millis, to_text
from palimpsest.domain.uploads import LONGEST_UPLOAD_SECONDS
from palimpsest.ports import Clock

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

KEPT_S = LONGEST_UPLOAD_SECONDS + 24 * 3600


class DynamoGrants:
    """`Grants` over the canonical table."""

    def __init__(self, table: str, client: "DynamoDBClient", clock: Clock) -> None:
        self._table = table
        self._client = client
        self._clock = clock

    def keep(
        self, tenant: str, namespace: str, grant: str, told: Granted, *, revision: int
    ) -> None:
        """See `Grants.keep`."""
        body = {
            "metadata": dict(told.metadata),
            "event_time": to_text(told.event_time) if told.event_time else None,
        }
        item = {
            **items.key(items.partition(tenant, namespace), f"UP#{grant}"),
            "d": {"S": json.dumps(body, ensure_ascii=False, separators=(",", ":"))},
            "rev": items.number(revision),
            "ttl": items.number(to_millis(self._clock.now()) // 1000 + KEPT_S),
        }
        with translated():
            self._client.put_item(TableName=self._table, Item=item)

    def get(self, tenant: str, namespace: str, grant: str) -> Granted | None:
        """See `Grants.get`."""
        pk, sk = items.partition(tenant, namespace), f"UP#{grant}"
        with translated():
            found = get_items(
                self._client, self._table, [items.key(pk, items.CLOCK), items.key(pk, sk)]
            )
        by_sk = {item["sk"]["S"]: item for item in found}
        kept = by_sk.get(sk)
        if kept is None or int(kept["rev"]["N"]) < items.clock_of(by_sk.get(items.CLOCK)).floor:
            return None
        body = json.loads(kept["d"]["S"])
        return Granted(
            metadata={
                name: tuple(value) if isinstance(value, list) else value
                for name, value in body["metadata"].items()
            },
            event_time=from_text(body["event_time"]) if body["event_time"] else None,
        )
