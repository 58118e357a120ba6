"""How far each index generation is, and its ledger of what cannot be found, on DynamoDB."""

import random
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, Any

from palimpsest.adapters.dynamodb import items
from palimpsest.adapters.dynamodb.batches import TRIES, get_items, query
from palimpsest.adapters.dynamodb.client import translated
from palimpsest.adapters.dynamodb.ledger_items import (
    ledger_attributes,
    ledger_entry_of,
    ledger_sk,
)
from palimpsest.adapters.dynamodb.transaction import (
    condition_failed,
    record_check,
    refused_for_good,
)
from palimpsest.domain.errors import Throttled
from palimpsest.domain.instants import from_millis, to_millis
from palimpsest.domain.ledger import LedgerEntry, Progress

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


class DynamoIndexLedger:
    """`IndexLedger` over the canonical table."""

    def __init__(self, table: str, client: "DynamoDBClient") -> None:
        self._table = table
        self._client = client

    def progress(self, tenant: str, namespace: str, generation: str) -> Progress:
        """See `IndexLedger.progress`."""
        key = _progress_key(tenant, namespace, generation)
        with translated():
            found = get_items(self._client, self._table, [key])
        if not found:
            return Progress()
        retry = found[0].get("retry")
        return Progress(
            revision=int(found[0]["rev"]["N"]),
            target=int(found[0]["target"]["N"]),
            retry_asked=from_millis(int(retry["N"])) if retry else None,
        )

    def advance(
        self, tenant: str, namespace: str, generation: str, revision: int, *, target: int
    ) -> None:
        """See `IndexLedger.advance`."""
        only_upward = "attribute_not_exists(#rev) OR #rev < :rev"
        key = _progress_key(tenant, namespace, generation)
        with translated(), suppress(self._client.exceptions.ConditionalCheckFailedException):
            self._client.update_item(
                TableName=self._table,
                Key=key,
                UpdateExpression="SET #rev = :rev, target = if_not_exists(target, :target)",
                ConditionExpression=only_upward,
                ExpressionAttributeNames={"#rev": "rev"},
                ExpressionAttributeValues={
                    ":rev": items.number(revision),
                    ":target": items.number(target),
                },
            )

    def unsearchable(self, tenant: str, namespace: str, generation: str) -> list[LedgerEntry]:
        """See `IndexLedger.unsearchable`."""
        return self._entries(tenant, namespace, generation)

    def page(
        self, tenant: str, namespace: str, generation: str, *, after: str, limit: int
    ) -> list[LedgerEntry]:
        """See `IndexLedger.page`."""
        return self._entries(tenant, namespace, generation, after=after, limit=limit)

    def _entries(
        self,
        tenant: str,
        namespace: str,
        generation: str,
        *,
        after: str = "",
        limit: int | None = None,
    ) -> list[LedgerEntry]:
        prefix = ledger_sk(generation, "")
        with translated():
            found = query(
                self._client,
                self._table,
                items.partition(tenant, namespace),
                first=f"{prefix}{after}!" if after else prefix,  # ! sorts before all of an id
                last=prefix + items.LAST,
                limit=limit,
            )
            return [ledger_entry_of(item) for item in found]

    def ask_retry(self, tenant: str, namespace: str, generation: str, *, at: datetime) -> None:
        """See `IndexLedger.ask_retry`."""
        begun = "attribute_exists(#rev)"
        with translated(), suppress(self._client.exceptions.ConditionalCheckFailedException):
            self._client.update_item(
                TableName=self._table,
                Key=_progress_key(tenant, namespace, generation),
                UpdateExpression="SET retry = :at",
                ConditionExpression=begun,
                ExpressionAttributeNames={"#rev": "rev"},
                ExpressionAttributeValues={":at": items.number(to_millis(at))},
            )

    def retry_done(self, tenant: str, namespace: str, generation: str, *, asked: datetime) -> None:
        """See `IndexLedger.retry_done`."""
        not_asked_again = "retry <= :asked"
        with translated(), suppress(self._client.exceptions.ConditionalCheckFailedException):
            self._client.update_item(
                TableName=self._table,
                Key=_progress_key(tenant, namespace, generation),
                UpdateExpression="REMOVE retry",
                ConditionExpression=not_asked_again,
                ExpressionAttributeValues={":asked": items.number(to_millis(asked))},
            )

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
            item = {**items.key(pk, ledger_sk(generation, entry.id)), **ledger_attributes(entry)}
            self._put(pk, entry, item)
        held = (
            {entry.id for entry in self.unsearchable(tenant, namespace, generation)}
            if clear
            else set()
        )
        for record_id in held & clear.keys():
            self._remove(items.key(pk, ledger_sk(generation, record_id)), revision=clear[record_id])

    def _put(self, pk: str, entry: LedgerEntry, item: items.Item) -> None:
        """Put an entry while its record is at that revision. A late one, of a projection that
        others have overtaken, would stay for ever: nobody clears it any more.
        """
        nothing_newer = "attribute_not_exists(#rev) OR #rev <= :rev"
        put = {"Put": {"Item": item, **self._guarded(nothing_newer, entry.revision)}}
        check = record_check(entry.id, entry.revision, pk, self._table)
        for attempt in range(TRIES):
            try:
                with translated():
                    self._client.transact_write_items(TransactItems=[check, put])  # type: ignore[list-item]
            except self._client.exceptions.TransactionCanceledException as error:
                if refused_for_good(error):
                    raise
                if condition_failed(error):
                    return
                time.sleep(random.uniform(0, 0.05 * 2**attempt))  # noqa: S311  # full jitter
            else:
                return
        raise Throttled("others keep writing this record")

    def _remove(self, key: items.Item, *, revision: int) -> None:
        nothing_newer = "#rev <= :rev"
        with translated(), suppress(self._client.exceptions.ConditionalCheckFailedException):
            self._client.delete_item(Key=key, **self._guarded(nothing_newer, revision))

    def _guarded(self, condition: str, revision: int) -> dict[str, Any]:
        return {
            "TableName": self._table,
            "ConditionExpression": condition,
            "ExpressionAttributeNames": {"#rev": "rev"},
            "ExpressionAttributeValues": {":rev": items.number(revision)},
        }


def _progress_key(tenant: str, namespace: str, generation: str) -> items.Item:
    return items.key(items.partition(tenant, namespace), f"INDEX#{generation}")
