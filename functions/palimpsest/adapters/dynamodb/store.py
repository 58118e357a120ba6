"""The record store on DynamoDB."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from palimpsest.adapters.dynamodb import idempotency, items
from palimpsest.adapters.dynamodb.batches import get_items, query
from palimpsest.adapters.dynamodb.client import translated
from palimpsest.adapters.dynamodb.document_items import document_of, document_sk
from palimpsest.adapters.dynamodb.transaction import commit_writes, record_check, transact
from palimpsest.domain.chunk_records import as_they_are, documents_of
from palimpsest.domain.commits import Clock, CommitPlan, LogEntry
from palimpsest.domain.idempotency import Applied, IdempotencyKey
from palimpsest.domain.records import Record

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


class DynamoRecordStore:
    """`RecordStore` over one table. Give it a client whose botocore retries are off (`attempts=1`)
    for commits, since an ambiguous failure is settled here.
    """

    def __init__(self, table: str, client: "DynamoDBClient", writer: "DynamoDBClient") -> None:
        self._table = table
        self._client = client
        self._writer = writer

    def read(
        self, tenant: str, namespace: str, ids: Sequence[str] = ()
    ) -> tuple[Clock, dict[str, Record]]:
        """See `RecordStore.read`."""
        pk = items.partition(tenant, namespace)
        documents = [document_sk(document_id) for document_id in documents_of(ids)]
        wanted = [items.CLOCK, *documents, *map(items.record_sk, ids)]
        with translated():
            found = get_items(self._client, self._table, [items.key(pk, sk) for sk in wanted])
        by_sk = {item["sk"]["S"]: item for item in found}
        clock = items.clock_of(by_sk.pop(items.CLOCK, None))
        known = [document_of(by_sk.pop(sk)) for sk in documents if sk in by_sk]
        records = {record.id: record for record in map(items.record_of, by_sk.values())}
        standing = {one.id: one for one in known if one.base >= clock.floor}
        return clock, as_they_are(ids, records, standing)

    def applied(
        self, tenant: str, namespace: str, key: IdempotencyKey, *, serial: bool = False
    ) -> Applied | None:
        """See `RecordStore.applied`."""
        pk = items.partition(tenant, namespace)
        return idempotency.find(self._client, self._table, pk, key, serial=serial)

    def stood_together(
        self,
        tenant: str,
        namespace: str,
        ids: Sequence[str],
        records: Mapping[str, Record],
        *,
        keep: Applied | None = None,
    ) -> bool:
        """See `RecordStore.stood_together`. A transaction of checks: it reads nothing, so the 4 MB
        of a transaction do not matter.
        """
        pk = items.partition(tenant, namespace)
        seen = {record_id: record.revision for record_id, record in records.items()}
        checks = [record_check(i, seen.get(i, 0), pk, self._table) for i in ids]
        if keep is not None:
            checks.append(idempotency.keep_write(keep, pk, self._table))
        try:
            with translated():
                self._client.transact_write_items(TransactItems=checks)  # type: ignore[arg-type]
        except self._client.exceptions.TransactionCanceledException:
            return False
        return True

    def commit(self, plan: CommitPlan) -> bool:
        """See `RecordStore.commit`."""

        def settled() -> bool | None:
            with translated():
                found = get_items(
                    self._client,
                    self._table,
                    [
                        items.key(
                            items.partition(plan.tenant, plan.namespace),
                            items.log_sk(plan.revision),
                        )
                    ],
                )
            return items.log_entry_of(found[0]).commit_id == plan.commit_id if found else None

        writes = commit_writes(plan, table=self._table)
        return transact(self._writer, writes, token=plan.commit_id, settled=settled)

    def log(self, tenant: str, namespace: str, *, after: int, limit: int) -> list[LogEntry]:
        """See `RecordStore.log`."""
        with translated():
            found = query(
                self._client,
                self._table,
                items.partition(tenant, namespace),
                first=items.log_sk(after + 1),
                last=f"C#{items.LAST}",
                limit=limit,
            )
            entries = [items.log_entry_of(item) for item in found]
        unbroken: list[LogEntry] = []
        for entry in entries:
            if entry.previous > (unbroken[-1].revision if unbroken else after):
                break
            unbroken.append(entry)
        return unbroken

    def namespaces(self) -> Iterator[tuple[str, str]]:
        """See `RecordStore.namespaces`."""
        with translated():
            tenants = query(
                self._client, self._table, items.DIRECTORY, first="T#", last=f"T#{items.LAST}"
            )
            for tenant in [item["sk"]["S"].removeprefix("T#") for item in tenants]:
                found = query(self._client, self._table, tenant, first="N#", last=f"N#{items.LAST}")
                for item in found:
                    yield tenant, item["sk"]["S"].removeprefix("N#")
