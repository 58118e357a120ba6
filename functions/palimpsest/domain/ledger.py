"""The ledger: what cannot be found on every leg, and why."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class Reason(StrEnum):
    """Why a record is not (wholly) searchable."""

    PENDING = "pending"
    EMBEDDING_FAILED = "embedding_failed"
    INDEX_REJECTED = "index_rejected"


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
