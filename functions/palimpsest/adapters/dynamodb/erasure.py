"""What forgetting leaves to be erased, and the erasing: histories and vectors, then the markers."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from palimpsest.adapters.dynamodb import items
from palimpsest.adapters.dynamodb.batches import delete_items, get_items, query
from palimpsest.adapters.dynamodb.client import translated
from palimpsest.domain.commits import Erasure, Remains

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

_ABSENT = {"rev": items.number(0)}


class DynamoErasures:
    """`Erasures` over the canonical table."""

    def __init__(self, table: str, client: "DynamoDBClient") -> None:
        self._table = table
        self._client = client

    def due(self, tenant: str, namespace: str, *, limit: int) -> list[Erasure]:
        """See `Erasures.due`."""
        pk = items.partition(tenant, namespace)
        with translated():
            found = query(
                self._client, self._table, pk, first="E#", last=f"E#{items.LAST}", limit=limit
            )
            marks = [item["sk"]["S"].split("#") for item in found]
        return [Erasure(record_id, int(revision)) for _, record_id, revision in marks]

    def erase(self, tenant: str, namespace: str, erasures: Sequence[Erasure]) -> Sequence[Erasure]:
        """See `Erasures.erase`."""
        pk = items.partition(tenant, namespace)
        with translated():
            current = self._records(pk, erasures)
            seen = [
                erasure
                for erasure in erasures
                if int(current.get(erasure.record_id, _ABSENT)["rev"]["N"]) >= erasure.revision
            ]
            left = [*self._histories(pk, seen), *self._vectors(pk, seen, current)]
            delete_items(self._client, self._table, left)
        return seen

    def unmark(self, tenant: str, namespace: str, erasures: Sequence[Erasure]) -> None:
        """See `Erasures.unmark`."""
        pk = items.partition(tenant, namespace)
        markers = [
            items.key(pk, items.erasure_sk(erasure.record_id, erasure.revision))
            for erasure in erasures
        ]
        with translated():
            delete_items(self._client, self._table, markers)

    def remains(self, tenant: str, namespace: str, record_id: str, *, upto: int) -> Remains:
        """See `Erasures.remains`. Ledgers of former generations are looked through too."""
        pk = items.partition(tenant, namespace)

        def count(first: str, last: str, end: str = "") -> int:
            found = query(self._client, self._table, pk, first=first, last=last, attributes=("sk",))
            return sum(item["sk"]["S"].endswith(end) for item in found)

        vectors, marked = items.vector_sk(record_id, ""), f"E#{record_id}#"
        with translated():
            return Remains(
                history=count(items.history_sk(record_id, 0), items.history_sk(record_id, upto)),
                vectors=count(vectors, vectors + items.LAST),
                ledger=count("U#", f"U#{items.LAST}", end=f"#{record_id}"),
                erasures=count(marked, marked + items.LAST),
            )

    def _histories(self, pk: str, erasures: Sequence[Erasure]) -> Iterator[items.Item]:
        upto: dict[str, int] = {}  # an id may have been forgotten more than once
        for erasure in erasures:
            upto[erasure.record_id] = max(erasure.revision, upto.get(erasure.record_id, 0))
        for record_id, revision in upto.items():
            first, last = items.history_sk(record_id, 0), items.history_sk(record_id, revision)
            found = query(
                self._client, self._table, pk, first=first, last=last, attributes=("pk", "sk")
            )
            yield from map(_key_of, found)

    def _records(self, pk: str, erasures: Sequence[Erasure]) -> Mapping[str, items.Item]:
        """The records of these ids as they are now: revision, and the hash of the text."""
        ids = dict.fromkeys(erasure.record_id for erasure in erasures)
        keys = [items.key(pk, items.record_sk(record_id)) for record_id in ids]
        found = get_items(self._client, self._table, keys)
        return {item["sk"]["S"].removeprefix("R#"): item for item in found}

    def _vectors(
        self, pk: str, erasures: Sequence[Erasure], current: Mapping[str, items.Item]
    ) -> Iterator[items.Item]:
        """Every vector but those of the text that a later record of the same id has by now. One
        that is made in between is lost: its text is embedded again when the index is next rebuilt.
        """
        for record_id in dict.fromkeys(erasure.record_id for erasure in erasures):
            prefix = items.vector_sk(record_id, "")
            for item in query(
                self._client, self._table, pk, first=prefix, last=prefix + items.LAST
            ):
                if item["eh"] != current[record_id].get("eh"):
                    yield _key_of(item)


def _key_of(item: dict[str, Any]) -> items.Item:
    return {"pk": item["pk"], "sk": item["sk"]}
