"""Answering once: a request of more than one commit that comes again under its idempotency key gets
the first answer.
"""

import uuid
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta

from palimpsest.domain.errors import IdempotencyMismatch, InProgress
from palimpsest.domain.idempotency import KEPT_FOR, Applied, IdempotencyKey
from palimpsest.ports import Clock, PassKeys

CLAIMED_FOR = timedelta(seconds=40)
"""Longer than a function may take: a claim older than that is of one that was killed."""

PATIENCE_S = 6.0
PAUSE_S = 0.25


@dataclass(frozen=True, slots=True)
class Answered:
    """The answer of a request: a job's id if it became one, and what else is told, as JSON."""

    job: str = ""
    report: str = ""


@dataclass(frozen=True, slots=True)
class AnswerOnceService:
    """Claims a key, has the work done, and keeps its answer."""

    keys: PassKeys
    clock: Clock

    def answer(
        self,
        tenant: str,
        namespace: str,
        key: IdempotencyKey | None,
        work: Callable[[], Answered],
    ) -> Answered:
        """The answer of `work`, or of the first time that the same request came under this key. A
        failure is not kept. Raises `IdempotencyMismatch`, and `InProgress` where the first is still
        at work after a while.
        """
        if key is None:
            return work()
        claim = Applied(key=key, until=self.clock.now() + CLAIMED_FOR, claim=str(uuid.uuid4()))
        before = self._before(tenant, namespace, claim)
        if before is not None:
            return before
        try:
            answer = work()
        except BaseException:
            self.keys.release(tenant, namespace, claim)
            raise
        until = self.clock.now() + KEPT_FOR
        kept = replace(claim, until=until, job=answer.job, report=answer.report)
        self.keys.settle(tenant, namespace, kept)
        return answer

    def _before(self, tenant: str, namespace: str, claim: Applied) -> Answered | None:
        """The first answer; None where the key is claimed now."""
        end = self.clock.monotonic() + PATIENCE_S
        while True:
            found = self.keys.claim(tenant, namespace, claim)
            if found is None:
                return None
            if found.key.request_hash != claim.key.request_hash:
                raise IdempotencyMismatch("this Idempotency-Key came before with another request")
            if not found.under_way:
                return Answered(found.job, found.report)
            if self.clock.monotonic() >= end:
                raise InProgress("the first request with this Idempotency-Key is still at work")
            self.clock.sleep(PAUSE_S)
