"""Idempotency keys: what is kept of an applied write, so that its repetition writes nothing.

Kept are hashes, ids, revisions and flags for 24 hours, never content: the answer is built again
from the table.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

KEPT_FOR = timedelta(hours=24)
MAX_KEY_CHARACTERS = 255


@dataclass(frozen=True, slots=True)
class IdempotencyKey:
    """A client's key (hashed, within its tenant and namespace) and the request that came with it:
    a hash of method, path, guards and parsed body.
    """

    key_hash: str
    request_hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of one operation: the record's revision after it. `created`: nothing stood there
    before.
    """

    id: str
    revision: int
    changed: bool
    created: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    """A write that was applied under a key. `revision` is what the whole answer named, `count` what
    it counted, where it did; `job` the job it began, `report` what a pass reported, as JSON.

    With a `claim` and neither of the two it is being worked on under that name.
    """

    key: IdempotencyKey
    until: datetime
    revision: int = 0
    outcomes: tuple[Outcome, ...] = ()
    count: int = 0
    claim: str = ""
    job: str = ""
    report: str = ""

    @property
    def under_way(self) -> bool:
        """Whether there is no answer to it yet."""
        return bool(self.claim) and not (self.job or self.report)

    def stands(self, now: datetime) -> bool:
        """Whether it is still kept; past its time it counts as absent."""
        return now < self.until
