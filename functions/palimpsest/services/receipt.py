"""The receipt of a forgetting: what is still found of an id, asked anew of every place."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from palimpsest.domain.entries import Leg
from palimpsest.domain.errors import NotFound
from palimpsest.domain.records import Status
from palimpsest.domain.visibility import stands
from palimpsest.ports import Erasures, RecordStore, SearchIndex


@dataclass(frozen=True, slots=True)
class Receipt:
    """How much each place still has of a forgotten id. `erased`: nothing anywhere, and no erasure
    is still to be done.
    """

    id: str
    revision: int
    found: Mapping[str, int]
    erased: bool


@dataclass(frozen=True, slots=True)
class ReceiptService:
    """Tells what is left of what was forgotten. `indexes`: those of all generations that are kept
    now.
    """

    store: RecordStore
    indexes: Callable[[], Sequence[SearchIndex]]
    erasures: Erasures

    def receipt(self, tenant: str, namespace: str, record_id: str) -> Receipt:
        """The receipt as of now. Raises `NotFound` unless the id has been forgotten and not been
        used again; `Unavailable` where a place cannot answer.
        """
        clock, records = self.store.read(tenant, namespace, [record_id])
        record = records.get(record_id)
        if record is None or not stands(record, clock) or record.status is not Status.DELETED:
            raise NotFound("no such forgotten record")
        partition = f"{tenant}#{namespace}"
        legs = [leg for index in self.indexes() for leg in index.legs(partition, record_id)]
        remains = self.erasures.remains(tenant, namespace, record_id, upto=record.revision)
        found = {leg.value: legs.count(leg) for leg in Leg} | {
            "history": remains.history,
            "vectors": remains.vectors,
            "ledger": remains.ledger,
        }
        erased = not any(found.values()) and not remains.erasures
        return Receipt(record_id, record.revision, found, erased)
