"""Trying again what the ledger says the index lacks."""

from dataclasses import dataclass

from palimpsest.domain.instants import to_millis
from palimpsest.ports import Clock, IndexLedger, RecordStore, Waker


@dataclass(frozen=True, slots=True)
class RetryService:
    """Asks the projection for it."""

    store: RecordStore
    ledger: IndexLedger
    waker: Waker
    clock: Clock

    def ask(self, tenant: str, namespace: str, generation: str) -> int:
        """Ask for all records in the ledger of that index generation; how many they are."""
        count, now = len(self.ledger.unsearchable(tenant, namespace, generation)), self.clock.now()
        if count:
            self.ledger.ask_retry(tenant, namespace, generation, at=now)
            clock, _ = self.store.read(tenant, namespace)
            wish = f"{generation}#retry#{to_millis(now)}"
            self.waker.wake(tenant, namespace, clock.revision, generation=wish)
        return count
