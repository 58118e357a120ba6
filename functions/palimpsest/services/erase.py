"""Erase: after a forgetting, what is left of it in the table goes, in batches that may be
interrupted.
"""

from dataclasses import dataclass

from palimpsest.ports import Erasures

BATCH = 100


@dataclass(frozen=True, slots=True)
class EraseService:
    """Works off the erasures of a namespace; markers in the table say what is left."""

    erasures: Erasures

    def erase(self, tenant: str, namespace: str) -> int:
        """Erase everything that is due; how many forgettings were worked off."""
        done = 0
        while due := self.erasures.due(tenant, namespace, limit=BATCH):
            for erasure in due:
                self.erasures.erase(tenant, namespace, erasure)
            done += len(due)
        return done
