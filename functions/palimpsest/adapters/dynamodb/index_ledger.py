"""How far each index generation is, and its ledger of what cannot be found, on DynamoDB."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from palimpsest.adapters.dynamodb import items
from palimpsest.adapters.dynamodb.batches import get_items, query
from palimpsest.adapters.dynamodb.client import translated
from palimpsest.domain.instants import from_millis, to_millis
from palimpsest.domain.ledger import LedgerEntry, Reason

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


class DynamoIndexLedger:
    """`IndexLedger` over the canonical table."""

    def __init__(self, table: str, client: "DynamoDBClient") -> None:
        self._table = table
        self._client = client

    def indexed_revision(self, tenant: str, namespace: str, generation: str) -> int:
        """See `IndexLedger.indexed_revision`."""
        key = items.key(items.partition(tenant, namespace), _progress_sk(generation))
        with translated():
            found = get_items(self._client, self._table, [key])
        return int(found[0]["rev"]["N"]) if found else 0

    def advance(self, tenant: str, namespace: str, generation: str, revision: int) -> None:
        """See `IndexLedger.advance`."""
        only_upward = "attribute_not_exists(#rev) OR #rev < :rev"
        self._write_if(
            items.key(items.partition(tenant, namespace), _progress_sk(generation)),
            condition=only_upward,
            revision=revision,
            update="SET #rev = :rev",
        )

    def unsearchable(self, tenant: str, namespace: str, generation: str) -> list[LedgerEntry]:
        """See `IndexLedger.unsearchable`."""
        prefix = f"U#{generation}#"
        with translated():
            found = query(
                self._client,
                self._table,
                items.partition(tenant, namespace),
                first=prefix,
                last=prefix + "~",
            )
            return [_entry_of(item) for item in found]

    def settle(
        self,
        tenant: str,
        namespace: str,
        generation: str,
        *,
        add: Sequence[LedgerEntry],
        clear: Mapping[str, int],
    ) -> None:
        """See `IndexLedger.settle`."""
        pk = items.partition(tenant, namespace)
        for entry in add:
            item = {**items.key(pk, _sk(generation, entry.id)), **_attributes(entry)}
            nothing_newer = "attribute_not_exists(#rev) OR #rev <= :rev"
            self._write_if(item, condition=nothing_newer, revision=entry.revision)
        held = (
            {entry.id for entry in self.unsearchable(tenant, namespace, generation)}
            if clear
            else set()
        )
        for record_id in held & clear.keys():
            self._remove(items.key(pk, _sk(generation, record_id)), revision=clear[record_id])

    def _write_if(
        self, item: items.Item, *, condition: str, revision: int, update: str | None = None
    ) -> None:
        shared: dict[str, Any] = {
            "TableName": self._table,
            "ConditionExpression": condition,
            "ExpressionAttributeNames": {"#rev": "rev"},
            "ExpressionAttributeValues": {":rev": items.number(revision)},
        }
        try:
            with translated():
                if update is None:
                    self._client.put_item(Item=item, **shared)
                else:
                    self._client.update_item(Key=item, UpdateExpression=update, **shared)
        except self._client.exceptions.ConditionalCheckFailedException:
            return  # something newer stands: as it should be

    def _remove(self, key: items.Item, *, revision: int) -> None:
        nothing_newer = "#rev <= :rev"
        try:
            with translated():
                self._client.delete_item(
                    TableName=self._table,
                    Key=key,
                    ConditionExpression=nothing_newer,
                    ExpressionAttributeNames={"#rev": "rev"},
                    ExpressionAttributeValues={":rev": items.number(revision)},
                )
        except self._client.exceptions.ConditionalCheckFailedException:
            return  # a newer entry, or none any more


def _progress_sk(generation: str) -> str:
    return f"INDEX#{generation}"


def _sk(generation: str, record_id: str) -> str:
    return f"U#{generation}#{record_id}"


def _attributes(entry: LedgerEntry) -> items.Item:
    return {
        "rev": items.number(entry.revision),
        "why": {"S": entry.reason.value},
        "detail": {"S": entry.detail},
        "since": items.number(to_millis(entry.since)),
    }


def _entry_of(item: Mapping[str, Any]) -> LedgerEntry:
    return LedgerEntry(
        id=item["sk"]["S"].rsplit("#", 1)[1],
        revision=int(item["rev"]["N"]),
        reason=Reason(item["why"]["S"]),
        detail=item["detail"]["S"],
        since=from_millis(int(item["since"]["N"])),
    )
