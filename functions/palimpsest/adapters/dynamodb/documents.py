"""Documents on DynamoDB."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING

from palimpsest.adapters.dynamodb import items
from palimpsest.adapters.dynamodb.batches import delete_items, get_items, query
from palimpsest.adapters.dynamodb.client import translated
from palimpsest.adapters.dynamodb.document_items import (
    document_item,
    document_of,
    document_sk,
    under_way_sk,
)
from palimpsest.adapters.dynamodb.document_writes import EndedMark, beside_document, document_put
from palimpsest.adapters.dynamodb.transaction import condition_failed, refused_for_good
from palimpsest.domain.commits import Clock
from palimpsest.domain.documents import Document, DocumentState
from palimpsest.domain.errors import Throttled
from palimpsest.domain.instants import to_millis
from palimpsest.ports.documents import Ended

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


class DynamoDocuments:
    """`Documents` over the canonical table."""

    def __init__(self, table: str, client: "DynamoDBClient") -> None:
        self._table = table
        self._client = client

    def read(
        self, tenant: str, namespace: str, document_ids: Sequence[str]
    ) -> tuple[Clock, dict[str, Document]]:
        """See `Documents.read`."""
        pk = items.partition(tenant, namespace)
        wanted = [items.CLOCK, *map(document_sk, document_ids)]
        with translated():
            found = get_items(self._client, self._table, [items.key(pk, sk) for sk in wanted])
        by_sk = {item["sk"]["S"]: item for item in found}
        clock = items.clock_of(by_sk.pop(items.CLOCK, None))
        return clock, {one.id: one for one in map(document_of, by_sk.values())}

    def put(self, tenant: str, document: Document, *, writes: int | None) -> bool:
        """See `Documents.put`."""
        pk = items.partition(tenant, document.namespace)
        put = document_put(document_item(pk, document), self._table, writes=writes)
        together = [{"Put": put}, *beside_document(document, pk, self._table)]
        if document.base == 0:
            named = items.directory_items(tenant, document.namespace)
            together += [{"Put": {"TableName": self._table, "Item": item}} for item in named]
        try:
            with translated():
                self._client.transact_write_items(TransactItems=together)  # type: ignore[arg-type]
        except self._client.exceptions.TransactionCanceledException as error:
            if refused_for_good(error):
                raise
            if condition_failed(error):
                return False
            raise Throttled("others keep writing this document") from error
        return True

    def page(self, tenant: str, namespace: str, *, after: str, limit: int) -> list[Document]:
        """See `Documents.page`."""
        clock, _ = self.read(tenant, namespace, ())
        first = (
            f"{document_sk(after)}!" if after else document_sk("")
        )  # ! sorts before all of an id
        with translated():
            found = query(
                self._client,
                self._table,
                items.partition(tenant, namespace),
                first=first,
                last=document_sk(items.LAST),
            )
            there = (one for one in map(document_of, found) if _listed(one, clock))
            return list(islice(there, limit))

    def count(self, tenant: str, namespace: str) -> int:
        """See `Documents.count`."""
        clock, _ = self.read(tenant, namespace, ())
        with translated():
            found = query(
                self._client,
                self._table,
                items.partition(tenant, namespace),
                first=document_sk(""),
                last=document_sk(items.LAST),
                attributes=("st", "rev"),
            )
            return sum(
                item["st"]["S"] != DocumentState.DELETED and int(item["rev"]["N"]) >= clock.floor
                for item in found
            )

    def under_way(self, tenant: str, namespace: str) -> list[str]:
        """See `Documents.under_way`."""
        return self._names(tenant, namespace, under_way_sk(""), limit=None)

    def ended(self, tenant: str, namespace: str, *, now: datetime, limit: int) -> list[Ended]:
        """See `Documents.ended`."""
        with translated():
            found = query(
                self._client,
                self._table,
                items.partition(tenant, namespace),
                first="G#",
                last=f"G#{to_millis(now):015}#{items.LAST}",
                limit=limit,
                attributes=("sk",),
            )
            marks = [item["sk"]["S"] for item in found]
        parsed = [(EndedMark.of(mark), mark) for mark in marks]
        return [Ended(one.document_id, one.generation, mark) for one, mark in parsed]

    def unmark(self, tenant: str, namespace: str, ended: Ended) -> None:
        """See `Documents.unmark`."""
        key = items.key(items.partition(tenant, namespace), ended.mark)
        with translated():
            delete_items(self._client, self._table, [key])

    def chunk_ids(
        self, tenant: str, namespace: str, document_id: str, generation: int, *, limit: int
    ) -> list[str]:
        """See `Documents.chunk_ids`."""
        prefix = items.record_sk(f"{document_id}.{generation}.")
        names = self._names(tenant, namespace, prefix, limit=limit)
        return [f"{document_id}.{generation}.{name}" for name in names]

    def erase_chunks(self, tenant: str, namespace: str, chunk_ids: Sequence[str]) -> None:
        """See `Documents.erase_chunks`."""
        pk = items.partition(tenant, namespace)
        first, last = items.vector_sk(chunk_ids[0], ""), items.vector_sk(chunk_ids[-1], "")
        with translated():
            held = list(self._below(pk, first, last, "pk", "sk"))
            records = [items.key(pk, items.record_sk(chunk_id)) for chunk_id in chunk_ids]
            delete_items(self._client, self._table, [*held, *records])

    def embedded(
        self, tenant: str, namespace: str, document_id: str, generation: int, *, fingerprint: str
    ) -> dict[str, str]:
        """See `Documents.embedded`."""
        prefix, suffix = items.vector_sk(f"{document_id}.{generation}.", "")[:-1], f"#{fingerprint}"
        pk = items.partition(tenant, namespace)
        with translated():
            return {
                item["eh"]["S"]: item["sk"]["S"].split("#")[1]
                for item in self._below(pk, prefix, prefix, "sk", "eh")
                if item["sk"]["S"].endswith(suffix)
            }

    def _names(self, tenant: str, namespace: str, prefix: str, *, limit: int | None) -> list[str]:
        """What follows a prefix, of the sort keys that begin with it."""
        pk = items.partition(tenant, namespace)
        with translated():
            found = self._below(pk, prefix, prefix, "sk", limit=limit)
            return [item["sk"]["S"].removeprefix(prefix) for item in found]

    def _below(
        self, pk: str, first: str, last: str, *attributes: str, limit: int | None = None
    ) -> Iterator[items.Item]:
        """Items from one prefix of sort keys to the end of another."""
        return query(
            self._client,
            self._table,
            pk,
            first=first,
            last=last + items.LAST,
            limit=limit,
            attributes=attributes,
        )


def _listed(document: Document, clock: Clock) -> bool:
    return document.base >= clock.floor and document.state is not DocumentState.DELETED
