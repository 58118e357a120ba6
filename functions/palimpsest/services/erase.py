"""Erase: after a forgetting, what is left of it in the table goes, in batches that may be
interrupted.
"""

from dataclasses import dataclass

from palimpsest.ports import Clock, Erasures

BATCH = 25


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
            self.erasures.erase(tenant, namespace, due)
            done += len(due)
        return done
