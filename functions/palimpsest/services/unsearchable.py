"""The ledger as its readers see it: what cannot be found on every leg, and trying it again."""

from collections.abc import Sequence
from dataclasses import dataclass

from palimpsest.domain.idempotency import KEPT_FOR, Applied, IdempotencyKey
from palimpsest.domain.instants import to_millis
from palimpsest.domain.ledger import LedgerEntry
from palimpsest.ports import Clock, GenerationRegister, IndexLedger, RecordStore, Waker
from palimpsest.services.idempotency import applied_before


@dataclass(frozen=True, slots=True)
class LedgerPage:
    """Entries of the ledger of the generation that is read, and the id after which the next page
    begins (empty: this is the last one).
    """

    entries: Sequence[LedgerEntry]
    generation: str
    after: str = ""


@dataclass(frozen=True, slots=True)
class UnsearchableService:
    """Tells of the ledger and has it tried again."""

    store: RecordStore
    ledger: IndexLedger
    register: GenerationRegister
    waker: Waker
    clock: Clock

    def page(
        self, tenant: str, namespace: str, *, limit: int, after: str = "", generation: str = ""
    ) -> LedgerPage:
        """Entries after an id, in the order of ids; of the generation that is read now, or of the
        one that an earlier page named.
        """
        if not generation:
            reading = self.register.reading()
            if reading is None:
                return LedgerPage((), "")
            generation = reading.generation
        found = self.ledger.page(tenant, namespace, generation, after=after, limit=limit + 1)
        floor = self.store.read(tenant, namespace)[0].floor
        shown = tuple(entry for entry in found[:limit] if entry.revision > floor)
        last = found[limit - 1].id if len(found) > limit else ""
        return LedgerPage(shown, generation, after=last)

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
        reading = self.register.reading()
        if reading is None:
            return 0
        generation, now = reading.generation, self.clock.now()
        count = len(self.ledger.unsearchable(tenant, namespace, generation))
        if count:
            self.ledger.ask_retry(tenant, namespace, generation, at=now)
            clock, _ = self.store.read(tenant, namespace)
            wish = f"{generation}#retry#{to_millis(now)}"
            self.waker.wake(tenant, namespace, clock.revision, generation=wish)
        return count

    def _kept(self, tenant: str, namespace: str, key: IdempotencyKey, count: int) -> int:
        """The count, kept under the key; its twin's, where that was first."""
        applied = Applied(key=key, until=self.clock.now() + KEPT_FOR, count=count)
        if self.store.stood_together(tenant, namespace, [], {}, keep=applied):
            return count
        twin = applied_before(self.store, tenant, namespace, key, now=self.clock.now(), serial=True)
        return twin.count if twin else count
