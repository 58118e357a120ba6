"""Commit: read, plan, apply as one transaction; repeat under contention, never after a guard has
failed.
"""

import random
import uuid
from dataclasses import dataclass

from palimpsest.domain.commit_form import check_form
from palimpsest.domain.commit_planning import CommitRequest, Planned, plan_commit
from palimpsest.domain.errors import Throttled
from palimpsest.ports import Clock, RecordStore

BASE_PAUSE_S = 0.01
MAX_PAUSE_S = 0.4


@dataclass(frozen=True, slots=True)
class CommitService:
    """Applies commits. `patience_s` bounds how long one commit contends for its namespace's
    clock.
    """

    store: RecordStore
    clock: Clock
    patience_s: float = 20.0

    def commit(self, request: CommitRequest) -> Planned:
        """Apply `request`, all or nothing, and tell what became of it.

        A refusal rests on one record, read strongly consistent; that nothing changes, on all of
        them at one instant: either is true of a moment during this call. Raises
        `InvalidRequest`, `RevisionConflict`, `NotFound`, `TooLarge`; `Throttled` where the
        namespace is too busy.
        """
        check_form(request)
        end = self.clock.monotonic() + self.patience_s
        attempt = 0
        while True:
            try:
                planned = self._attempt(request)
            except Throttled:
                planned = None
            if planned is not None:
                return planned
            self._pause(attempt, end)
            attempt += 1

    def _attempt(self, request: CommitRequest) -> Planned | None:
        """The outcome; None where others were writing at the same time."""
        tenant, namespace, ids = request.tenant, request.namespace, request.touched
        clock, records = self.store.read(tenant, namespace, ids)
        commit_id = str(uuid.uuid4())
        planned = plan_commit(request, clock, records, now=self.clock.now(), commit_id=commit_id)
        if planned.plan is not None:
            done = self.store.commit(planned.plan)
        else:
            done = len(ids) == 1 or self.store.stood_together(tenant, namespace, ids, records)
        return planned if done else None

    def _pause(self, attempt: int, end: float) -> None:
        if self.clock.monotonic() >= end:
            raise Throttled("the namespace is too busy; batch your writes", retry_after=1.0)
        ceiling = min(MAX_PAUSE_S, BASE_PAUSE_S * 2 ** min(attempt, 10))
        self.clock.sleep(random.uniform(0, ceiling))  # noqa: S311  # full jitter, not a secret
