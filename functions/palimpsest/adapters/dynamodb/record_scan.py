"""All records of a namespace, as planning sees them."""

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from palimpsest.adapters.dynamodb import items
from palimpsest.adapters.dynamodb.batches import get_items, query
from palimpsest.adapters.dynamodb.client import translated
from palimpsest.domain.planning import Standing
from palimpsest.domain.records import Content, Status

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

_SEEN = ("pk", "sk", "rev", "st", "ch")


class DynamoRecordScan:
    """`RecordScan` over the canonical table: one Query, of each record its hash and not its
    content.
    """

    def __init__(self, table: str, client: "DynamoDBClient") -> None:
        self._table = table
        self._client = client

    def standing(self, tenant: str, namespace: str) -> Iterator[Standing]:
        """See `RecordScan.standing`."""
        with translated():
            for item in query(
                self._client,
                self._table,
                items.partition(tenant, namespace),
                first=items.record_sk(""),
                last=items.record_sk(items.LAST),
                attributes=_SEEN,
            ):
                status = Status(item["st"]["S"])
                yield Standing(
                    id=item["sk"]["S"].removeprefix("R#"),
                    revision=int(item["rev"]["N"]),
                    status=status,
                    content_hash=None if status is Status.DELETED else self._hash(item),
                )

    def _hash(self, item: dict[str, Any]) -> str | None:
        """The hash of the content; of items that were written without it, of the content itself."""
        if "ch" in item:
            return str(item["ch"]["S"])
        key = {"pk": item["pk"], "sk": item["sk"]}
        found = get_items(self._client, self._table, [key])
        if not found or "c" not in found[0]:
            return None
        return Content.from_json(json.loads(found[0]["c"]["S"])).content_hash
