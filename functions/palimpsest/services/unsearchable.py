"""The ledger as its readers see it: what cannot be found on every leg, and trying it again."""

from collections.abc import Sequence
from dataclasses import dataclass

from palimpsest.domain.documents import is_there
from palimpsest.domain.idempotency import KEPT_FOR, Applied, IdempotencyKey
from palimpsest.domain.ledger import DOCUMENTS, LedgerEntry
from palimpsest.domain.upload_keys import UploadPlace
from palimpsest.ports import (
    Clock,
    Documents,
    GenerationRegister,
    IndexLedger,
    IngestQueue,
    RecordStore,
    Waker,
)
from palimpsest.services.idempotency import applied_before
from palimpsest.services.retrying import RetryService

READ_TOGETHER = 100


@dataclass(frozen=True, slots=True)
class LedgerPage:
    """Entries of the ledger: those of documents, then those of records. `following`: in which
    generation (`DOCUMENTS`: theirs), after which id the next page begins; None: this is the last.
    """

    documents: Sequence[LedgerEntry]
    records: Sequence[LedgerEntry] = ()
    following: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class UnsearchableService:
    """Tells of the ledger and has it tried again."""

    store: RecordStore
    ledger: IndexLedger
    register: GenerationRegister
    waker: Waker
    clock: Clock
    documents: Documents
    queue: IngestQueue

    def page(
        self, tenant: str, namespace: str, *, limit: int, after: str = "", generation: str = ""
    ) -> LedgerPage:
        """Entries in the order of ids: of documents first, then of the generation of the index that
        is read as that begins, or from the place on that an earlier page named.
        """
        floor = self.store.read(tenant, namespace)[0].floor
        documents = list[LedgerEntry]()
        if generation in {"", DOCUMENTS}:
            documents = self.ledger.page(tenant, namespace, DOCUMENTS, after=after, limit=limit + 1)
            reading = self.register.reading()
            if len(documents) > limit:
                shown = documents[:limit]
                return LedgerPage(_above(floor, shown), (), (DOCUMENTS, shown[-1].id))
            if reading is None:
                return LedgerPage(_above(floor, documents))
            generation, after = reading.generation, ""
        left = limit - len(documents)
        found = self.ledger.page(tenant, namespace, generation, after=after, limit=left + 1)
        following = None
        if len(found) > left:
            following = (generation, found[left - 1].id if left else after)
        return LedgerPage(_above(floor, documents), _above(floor, found[:left]), following)

    def retry(self, tenant: str, namespace: str, *, key: IdempotencyKey | None = None) -> int:
        """Ask for everything in the ledger to be tried again, and tell how much that is; the same
        answer again where the key came before. Raises `IdempotencyMismatch`.
        """
        if key is not None:
            now = self.clock.now()
            before = applied_before(self.store, tenant, namespace, key, now=now)
            if before is not None:
                return before.count
        count = self._ask(tenant, namespace)
        return count if key is None else self._kept(tenant, namespace, key, count)

    def _ask(self, tenant: str, namespace: str) -> int:
        asked = self._ask_documents(tenant, namespace)
        reading = self.register.reading()
        if reading is None:
            return asked
        retrying = RetryService(self.store, self.ledger, self.waker, self.clock)
        return asked + retrying.ask(tenant, namespace, reading.generation)

    def _ask_documents(self, tenant: str, namespace: str) -> int:
        """Have every document in the ledger read again; how many they are."""
        ids = [one.id for one in self.ledger.unsearchable(tenant, namespace, DOCUMENTS)]
        asked = 0
        for start in range(0, len(ids), READ_TOGETHER):
            some = ids[start : start + READ_TOGETHER]
            clock, found = self.documents.read(tenant, namespace, some)
            for document in found.values():
                if is_there(document, floor=clock.floor):
                    place = UploadPlace(tenant, namespace, document.path)
                    self.queue.send(place, again=True)
                    asked += 1
        return asked

    def _kept(self, tenant: str, namespace: str, key: IdempotencyKey, count: int) -> int:
        """The count, kept under the key; its twin's, where that was first."""
        applied = Applied(key=key, until=self.clock.now() + KEPT_FOR, count=count)
        if self.store.stood_together(tenant, namespace, [], {}, keep=applied):
            return count
        twin = applied_before(self.store, tenant, namespace, key, now=self.clock.now(), serial=True)
        return twin.count if twin else count


def _above(floor: int, entries: Sequence[LedgerEntry]) -> Sequence[LedgerEntry]:
    return tuple(entry for entry in entries if entry.revision > floor)
