"""Commit: read, plan, apply as one transaction; repeat under contention, never after a guard has
failed.
"""

import random
import uuid
from dataclasses import dataclass

from palimpsest.domain.commit_form import check_form
from palimpsest.domain.commit_planning import CommitRequest, Planned, kept_of, plan_commit
from palimpsest.domain.errors import InvalidRequest, NotFound, RevisionConflict, Throttled
from palimpsest.domain.idempotency import Outcome
from palimpsest.domain.records import Record
from palimpsest.ports import Clock, RecordStore
from palimpsest.services.idempotency import applied_before

BASE_PAUSE_S = 0.01
MAX_PAUSE_S = 1.6
"""With 32 writers on one clock and shorter pauses, most attempts only spoil one another's."""
REFUSALS = (RevisionConflict, NotFound, InvalidRequest)


@dataclass(frozen=True, slots=True, kw_only=True)
class Committed:
    """A commit's answer. `records`: those after it, in the order of the operations; empty where an
    earlier commit under the same idempotency key is answered again (`repeated`).
    """

    revision: int
    outcomes: tuple[Outcome, ...]
    records: tuple[Record, ...] = ()
    repeated: bool = False


@dataclass(frozen=True, slots=True)
class CommitService:
    """Applies commits. `patience_s` bounds how long one commit contends for its namespace's
    clock; a last attempt begun then must still end within the function's 28 s.
    """

    store: RecordStore
    clock: Clock
    patience_s: float = 14.0

    def commit(self, request: CommitRequest) -> Committed:
        """Apply `request`, all or nothing, and tell what became of it; or tell again what became of
        the one that came with its idempotency key before.

        A refusal rests on one record, read strongly consistent; that nothing changes, on all of
        them at one instant: either is true of a moment during this call. Raises
        `InvalidRequest`, `RevisionConflict`, `NotFound`, `TooLarge`, `IdempotencyMismatch`;
        `Throttled` where the namespace is too busy.
        """
        check_form(request)
        end = self.clock.monotonic() + self.patience_s
        attempt = 0
        while True:
            try:
                committed = self._attempt(request)
            except Throttled:
                committed = None
            if committed is not None:
                return committed
            self._pause(attempt, end)
            attempt += 1

    def _attempt(self, request: CommitRequest) -> Committed | None:
        """The outcome; None where others were writing at the same time."""
        again = self._again(request)
        if again is not None:
            return again
        tenant, namespace, ids = request.tenant, request.namespace, request.touched
        clock, records = self.store.read(tenant, namespace, ids)
        now = self.clock.now()
        commit_id = str(uuid.uuid4())
        try:
            planned = plan_commit(request, clock, records, now=now, commit_id=commit_id)
        except REFUSALS:
            # its twin may have been applied since the key was looked for, and be what was refused
            again = self._again(request, serial=True)
            if again is not None:
                return again
            raise
        if planned.plan is not None:
            done = self.store.commit(planned.plan)
        elif len(ids) == 1 and request.idempotency is None:
            done = True
        else:
            keep = kept_of(request, planned.revision, planned.outcomes, now=now)
            done = self.store.stood_together(tenant, namespace, ids, records, keep=keep)
        return _committed(planned) if done else None

    def _again(self, request: CommitRequest, *, serial: bool = False) -> Committed | None:
        """The answer of the commit that came with this key before. Raises `IdempotencyMismatch`."""
        if request.idempotency is None:
            return None
        found = applied_before(
            self.store,
            request.tenant,
            request.namespace,
            request.idempotency,
            now=self.clock.now(),
            serial=serial,
        )
        if found is None:
            return None
        return Committed(revision=found.revision, outcomes=found.outcomes, repeated=True)

    def _pause(self, attempt: int, end: float) -> None:
        if self.clock.monotonic() >= end:
            raise Throttled("the namespace is too busy; batch your writes", retry_after=1.0)
        ceiling = min(MAX_PAUSE_S, BASE_PAUSE_S * 2 ** min(attempt, 10))
        self.clock.sleep(random.uniform(0, ceiling))  # noqa: S311  # full jitter, not a secret


def _committed(planned: Planned) -> Committed:
    return Committed(revision=planned.revision, outcomes=planned.outcomes, records=planned.records)
