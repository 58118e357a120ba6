"""The status of a namespace: its clock, the index beside it, and what cannot be found."""

from collections.abc import Mapping
from dataclasses import dataclass

from palimpsest.domain.ledger import DOCUMENTS
from palimpsest.domain.records import Status
from palimpsest.ports import Documents, GenerationRegister, IndexLedger, RecordStore


@dataclass(frozen=True, slots=True, kw_only=True)
class NamespaceStatus:
    """Revisions, counts by what they count, and which index and model serve it."""

    revision: int
    indexed_revision: int
    counts: Mapping[str, int]
    embedding_model: str | None
    index_generation: str | None

    @property
    def lag(self) -> int:
        """How many revisions the index is behind."""
        return self.revision - self.indexed_revision


@dataclass(frozen=True, slots=True)
class NamespaceStatusService:
    """Tells the status of namespaces from the canonical table alone."""

    store: RecordStore
    ledger: IndexLedger
    register: GenerationRegister
    documents: Documents

    def status(self, tenant: str, namespace: str) -> NamespaceStatus:
        """The status now; a namespace never used is there, at revision 0, empty."""
        reading = self.register.reading()
        indexed, ledger = 0, self.ledger.unsearchable(tenant, namespace, DOCUMENTS)
        if reading is not None:
            indexed = self.ledger.progress(tenant, namespace, reading.generation).revision
            ledger += self.ledger.unsearchable(tenant, namespace, reading.generation)
        documents = self.documents.count(tenant, namespace)
        clock, _ = self.store.read(tenant, namespace)  # after it, so that the lag is never negative
        unsearchable = sum(entry.revision > clock.floor for entry in ledger)
        counts = {status.value: clock.counts.get(status, 0) for status in Status}
        return NamespaceStatus(
            revision=clock.revision,
            indexed_revision=min(indexed, clock.revision),
            counts=counts | {"documents": documents, "unsearchable": unsearchable},
            embedding_model=reading.fingerprint if reading else None,
            index_generation=reading.generation if reading else None,
        )
