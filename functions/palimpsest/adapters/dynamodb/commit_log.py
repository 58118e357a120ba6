"""The commit log and former versions on DynamoDB."""

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from palimpsest.adapters.dynamodb import items
from palimpsest.adapters.dynamodb.batches import get_items, query
from palimpsest.adapters.dynamodb.client import translated
from palimpsest.domain.commits import LogEntry
from palimpsest.ports.walking import Former, Version

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


class DynamoCommitLog:
    """`CommitLog` over the canonical table."""

    def __init__(self, table: str, client: "DynamoDBClient") -> None:
        self._table = table
        self._client = client

    def descending(self, tenant: str, namespace: str, *, upto: int, limit: int) -> list[LogEntry]:
        """See `CommitLog.descending`."""
        with translated():
            found = query(
                self._client,
                self._table,
                items.partition(tenant, namespace),
                first=items.log_sk(0),
                last=items.log_sk(upto),
                newest_first=True,
                limit=limit,
            )
            entries = [items.log_entry_of(item) for item in found]
        unbroken: list[LogEntry] = []
        for entry in entries:
            if entry.revision != (unbroken[-1].previous if unbroken else upto):
                break
            unbroken.append(entry)
        return unbroken

    def at(self, tenant: str, namespace: str, revisions: Collection[int]) -> dict[int, LogEntry]:
        """See `CommitLog.at`."""
        pk = items.partition(tenant, namespace)
        keys = [items.key(pk, items.log_sk(revision)) for revision in sorted(revisions)]
        with translated():
            found = get_items(self._client, self._table, keys)
        return {entry.revision: entry for entry in map(items.log_entry_of, found)}

    def replaced(
        self, tenant: str, namespace: str, versions: Collection[Version]
    ) -> dict[Version, int]:
        """See `CommitLog.replaced`."""
        pk = items.partition(tenant, namespace)
        by_sk = {items.history_sk(i, revision): (i, revision) for i, revision in versions}
        with translated():
            keys = [items.key(pk, sk) for sk in by_sk]
            found = get_items(self._client, self._table, keys, attributes=("sk", "rb"))
        return {by_sk[item["sk"]["S"]]: int(item["rb"]["N"]) for item in found}

    def former(
        self, tenant: str, namespace: str, record_id: str, *, below: int, limit: int | None = None
    ) -> Iterator[Former]:
        """See `CommitLog.former`."""
        with translated():
            found = query(
                self._client,
                self._table,
                items.partition(tenant, namespace),
                first=items.history_sk(record_id, 0),
                last=items.history_sk(record_id, below - 1),
                newest_first=True,
                limit=limit,
            )
            for item in found:
                yield Former(items.record_of(item), int(item["rb"]["N"]))

    def oldest_former(
        self, tenant: str, namespace: str, record_id: str, *, above: int, upto: int
    ) -> int | None:
        """See `CommitLog.oldest_former`."""
        with translated():
            found = query(
                self._client,
                self._table,
                items.partition(tenant, namespace),
                first=items.history_sk(record_id, above + 1),
                last=items.history_sk(record_id, upto),
                limit=1,
                attributes=("sk",),
            )
            return next((int(item["sk"]["S"].rpartition("#")[2]) for item in found), None)
