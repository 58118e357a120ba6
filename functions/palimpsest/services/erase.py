"""Erase: after a forgetting, what is left of it in the table goes, in batches that may be
interrupted.

A transaction's items may be seen one by one: a former version or a vector may come into view after
a first look. So each batch is looked at twice, and only then are its marks removed.
"""

from dataclasses import dataclass

from palimpsest.ports import Clock, Erasures

BATCH = 100
SETTLING_S = 0.5
"""Between the two looks: longer than a transaction's items take to come into view."""


@dataclass(frozen=True, slots=True)
class EraseService:
    """Works off the erasures of a namespace; markers in the table say what is left."""

    erasures: Erasures
    clock: Clock

    def erase(self, tenant: str, namespace: str, *, until: float) -> int:
        """Erase what is due, batch by batch, beginning none after `until` (of the monotonic clock);
        how many forgettings were worked off. What is left is taken up by a later call.
        """
        done = 0
        while self.clock.monotonic() < until:
            due = self.erasures.due(tenant, namespace, limit=BATCH)
            if not due:
                break
            seen = self.erasures.erase(tenant, namespace, due)
            self.clock.sleep(SETTLING_S)
            if seen:
                self.erasures.erase(tenant, namespace, seen)
                self.erasures.unmark(tenant, namespace, seen)
            done += len(seen)
        return done
