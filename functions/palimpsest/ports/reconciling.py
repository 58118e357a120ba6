"""What reconciling and jobs need of the canonical table. All reads are strongly consistent."""

from collections.abc import Iterator
from datetime import datetime
from typing import Protocol

from palimpsest.domain.commits import Clock
from palimpsest.domain.idempotency import Applied
from palimpsest.domain.jobs import Job
from palimpsest.domain.passes import Fence
from palimpsest.domain.planning import Standing


class Fences(Protocol):
    """The fence of each namespace, which orders the passes over it."""

    def begin(
        self,
        tenant: str,
        namespace: str,
        revision: int,
        *,
        attempt: str,
        asked: datetime,
        at_once: bool = True,
    ) -> bool:
        """Replace the fence's attempt and, unless `revision` is 0, its newest R; False and nothing
        if a newer R has begun. `asked`: when the pass was asked for. One that does not begin at
        once, but later, is refused too where another one that was asked for since, and that is not
        of an older R, has begun meanwhile. May be repeated.
        """
        ...

    def read(self, tenant: str, namespace: str) -> Fence:
        """The fence as it stands."""
        ...

    def settled(self, tenant: str, namespace: str) -> tuple[Fence, Clock]:
        """Fence and clock at one instant: no commit that was applied before the fence was replaced
        is missing from the clock. Raises `Throttled` if others keep writing.
        """
        ...

    def finish(self, tenant: str, namespace: str, revision: int, *, attempt: str) -> bool:
        """Note R as applied, upward only; False if the fence bears another attempt."""
        ...


class RecordScan(Protocol):
    """All records of a namespace."""

    def standing(self, tenant: str, namespace: str) -> Iterator[Standing]:
        """Each record of it once, tombstones too, in the order of ids."""
        ...


class Jobs(Protocol):
    """Jobs, kept for some days."""

    def begin(self, job: Job) -> None:
        """Keep a new job; one that is there already stays as it is."""
        ...

    def get(self, tenant: str, job_id: str) -> Job | None:
        """The job; None if there is none of that id."""
        ...

    def unfinished(self, tenant: str, namespace: str) -> list[Job]:
        """The jobs of a namespace that have not ended."""
        ...

    def save(self, job: Job) -> None:
        """Keep the job's state; not once it has ended."""
        ...


class PassKeys(Protocol):
    """Idempotency keys of requests that take more than one commit: claimed first, settled last."""

    def claim(self, tenant: str, namespace: str, claim: Applied) -> Applied | None:
        """Claim a key: None if it was free (or its time over), else what is kept under it."""
        ...

    def settle(self, tenant: str, namespace: str, answered: Applied) -> None:
        """Keep the answer in place of the claim, if the key is still this claim's."""
        ...

    def release(self, tenant: str, namespace: str, claim: Applied) -> None:
        """Free the key, if it is still this claim's: what it was claimed for has failed."""
        ...
