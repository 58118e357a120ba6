"""The ledger: what cannot be found on every leg, and why."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class Reason(StrEnum):
    """Why a record or a document is not (wholly) searchable."""

    PENDING = "pending"
    EMBEDDING_FAILED = "embedding_failed"
    INDEX_REJECTED = "index_rejected"
    NO_TEXT = "no_text"
    ENCRYPTED = "encrypted"
    UNSUPPORTED_TYPE = "unsupported_type"
    TOO_LARGE = "too_large"
    CORRUPT = "corrupt"
    TIMEOUT = "timeout"
    INTERNAL = "internal"


DOCUMENTS = "D"
"""Under what the ledger keeps documents, beside the generations of the index."""


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """One record that some leg cannot find, at `revision`, since an instant."""

    id: str
    revision: int
    reason: Reason
    detail: str
    since: datetime


@dataclass(frozen=True, slots=True)
class Reading:
    """The index generation that searches read, and the fingerprint of its embedding model."""

    generation: str
    fingerprint: str


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an index generation is with a namespace: every record up to `revision` is in it or
    in the ledger. `target` is the clock when it was begun: below it, it is still being built.
    `retry_asked`: when somebody asked for all of its ledger to be tried again, if that is not done.
    """

    revision: int = 0
    target: int = 0
    retry_asked: datetime | None = None

    def building(self, clock: int) -> bool:
        """Whether it lacks what it had to have from the start; `clock` is the namespace's now."""
        return self.revision < self.target or (self.revision == 0 and clock > 0)
