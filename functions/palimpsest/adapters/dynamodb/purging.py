"""Erasing everything at or below a namespace's floor, and counting what is left of it."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING

from palimpsest.adapters.dynamodb import items
from palimpsest.adapters.dynamodb.batches import delete_items, get_items, query
from palimpsest.adapters.dynamodb.client import translated
from palimpsest.domain.batching import batched

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

TOGETHER = 100
"""Conditional deletions in one transaction."""


class DynamoNamespaceErasure:
    """`NamespaceErasure` over the canonical table."""

    def __init__(self, table: str, client: "DynamoDBClient") -> None:
        self._table = table
        self._client = client

    def ids(self, tenant: str, namespace: str, *, floor: int) -> Iterator[str]:
        """See `NamespaceErasure.ids`."""
        with translated():
            for item in self._records(items.partition(tenant, namespace), floor):
                yield item["sk"]["S"].removeprefix("R#")

    def erase(self, tenant: str, namespace: str, *, floor: int, limit: int) -> int:
        """See `NamespaceErasure.erase`."""
        pk = items.partition(tenant, namespace)
        with translated():
            done = 0
            for found in (self._histories, self._vectors, self._erasures, self._marks):
                keys = [_key_of(item) for item in islice(found(pk, floor), limit - done)]
                delete_items(self._client, self._table, keys)
                done += len(keys)
            for guarded in (self._ledger, self._records):
                keys = [_key_of(item) for item in islice(guarded(pk, floor), limit - done)]
                self._delete_unless_above(keys, "#rev <= :floor", floor)
                done += len(keys)
            keys = [_key_of(item) for item in islice(self._documents(pk, floor), limit - done)]
            self._delete_unless_above(keys, "#rev < :floor", floor)
            return done + len(keys)

    def remains(self, tenant: str, namespace: str, *, floor: int) -> Mapping[str, int]:
        """See `NamespaceErasure.remains`."""
        pk = items.partition(tenant, namespace)
        kinds = {
            "records": self._records,
            "history": self._histories,
            "vectors": self._vectors,
            "ledger": self._ledger,
            "erasures": self._erasures,
            "documents": self._documents,
            "marks": self._marks,
        }
        with translated():
            return {kind: sum(1 for _ in found(pk, floor)) for kind, found in kinds.items()}

    def _records(self, pk: str, floor: int) -> Iterator[items.Item]:
        for item in self._under(pk, "R#", "rev"):
            if int(item["rev"]["N"]) <= floor:
                yield item

    def _ledger(self, pk: str, floor: int) -> Iterator[items.Item]:
        for item in self._under(pk, "U#", "rev"):
            if int(item["rev"]["N"]) <= floor:
                yield item

    def _histories(self, pk: str, floor: int) -> Iterator[items.Item]:
        for item in self._under(pk, "H#"):
            if _revision_in(item) <= floor:
                yield item

    def _documents(self, pk: str, floor: int) -> Iterator[items.Item]:
        """Documents begun before the purge, and what was told of uploads that have not come."""
        for item in self._under(pk, "D#", "rev"):
            if int(item["rev"]["N"]) < floor:
                yield item
        for item in self._under(pk, "UP#", "rev"):
            if int(item["rev"]["N"]) < floor:
                yield item

    def _marks(self, pk: str, floor: int) -> Iterator[items.Item]:
        """Marks of documents that were begun before, or are gone."""
        standing = {
            item["sk"]["S"].removeprefix("D#")
            for item in self._under(pk, "D#", "rev")
            if int(item["rev"]["N"]) >= floor
        }
        for prefix, place in (("W#", 1), ("G#", 2)):
            for item in self._under(pk, prefix):
                if item["sk"]["S"].split("#")[place] not in standing:
                    yield item

    def _erasures(self, pk: str, floor: int) -> Iterator[items.Item]:
        for item in self._under(pk, "E#"):
            if _revision_in(item) <= floor:
                yield item

    def _vectors(self, pk: str, floor: int) -> Iterator[items.Item]:
        """Every vector but those of the text that a record above the floor has by now."""
        found = self._under(pk, "V#", "eh")
        for some in batched(found, most=TOGETHER, size=TOGETHER, size_of=lambda _: 1):
            ids = dict.fromkeys(item["sk"]["S"].split("#")[1] for item in some)
            keys = [items.key(pk, items.record_sk(record_id)) for record_id in ids]
            records = get_items(self._client, self._table, keys, attributes=("sk", "rev", "eh"))
            standing = {
                item["sk"]["S"].removeprefix("R#"): item.get("eh")
                for item in records
                if int(item["rev"]["N"]) > floor
            }
            for item in some:
                if item["eh"] != standing.get(item["sk"]["S"].split("#")[1]):
                    yield item

    def _under(self, pk: str, prefix: str, *more: str) -> Iterator[items.Item]:
        return query(
            self._client,
            self._table,
            pk,
            first=prefix,
            last=prefix + items.LAST,
            attributes=("pk", "sk", *more),
        )

    def _delete_unless_above(self, keys: list[items.Item], below: str, floor: int) -> None:
        """Delete each item unless it has been written above the floor by now."""
        for some in batched(keys, most=TOGETHER, size=TOGETHER, size_of=lambda _: 1):
            try:
                self._client.transact_write_items(
                    TransactItems=[{"Delete": self._deletion(key, below, floor)} for key in some]  # type: ignore[typeddict-item]
                )
            except self._client.exceptions.TransactionCanceledException:
                for key in some:
                    with suppress(self._client.exceptions.ConditionalCheckFailedException):
                        self._client.delete_item(**self._deletion(key, below, floor))

    def _deletion(self, key: items.Item, below: str, floor: int) -> items.Item:
        gone_or_not_above = f"attribute_not_exists(pk) OR {below}"
        return {
            "TableName": self._table,
            "Key": key,
            "ConditionExpression": gone_or_not_above,
            "ExpressionAttributeNames": {"#rev": "rev"},
            "ExpressionAttributeValues": {":floor": items.number(floor)},
        }


def _key_of(item: items.Item) -> items.Item:
    return {"pk": item["pk"], "sk": item["sk"]}


def _revision_in(item: items.Item) -> int:
    return int(item["sk"]["S"].rsplit("#", 1)[1])
