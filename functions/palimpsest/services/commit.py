"""Commit: read, plan, apply as one transaction; repeat under contention, never after a guard has
failed.
"""

import random
import uuid
from dataclasses import dataclass

from palimpsest.domain.commit_planning import CommitRequest, Planned, check_form, plan_commit
from palimpsest.domain.errors import (
    InvalidRequest,
    NotFound,
    RevisionConflict,
    Throttled,
)
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

        An answer that writes nothing (a failed guard, an unknown id, no change) is decided on a
        state of one instant, so that it is true of a moment during this call. Raises
        `InvalidRequest`, `RevisionConflict`, `NotFound`, `TooLarge`; `Throttled` where the
        namespace is too busy.
        """
        check_form(request)
        end = self.clock.monotonic() + self.patience_s
        atomic, attempt = False, 0
        while True:
            planned, settled = self._attempt(request, atomic=atomic)
            if planned is not None:
                return planned
            if (
                settled and not atomic
            ):  # nothing to write, or a guard has failed: look again at one instant
                atomic = True
                continue
            self._pause(attempt, end)
            attempt += 1

    def _attempt(self, request: CommitRequest, *, atomic: bool) -> tuple[Planned | None, bool]:
        """The outcome, or None and whether reading alone would settle it."""
        try:
            planned = self._planned(request, atomic=atomic)
        except (RevisionConflict, NotFound, InvalidRequest):
            if atomic:
                raise
            return None, True
        except Throttled:
            return None, False
        if planned.plan is None:
            return (planned, True) if atomic else (None, True)
        return (planned if self.store.commit(planned.plan) else None), False

    def _planned(self, request: CommitRequest, *, atomic: bool) -> Planned:
        clock, records = self.store.read(
            request.tenant, request.namespace, request.touched, atomic=atomic
        )
        return plan_commit(
            request, clock, records, now=self.clock.now(), commit_id=str(uuid.uuid4())
        )

    def _pause(self, attempt: int, end: float) -> None:
        if self.clock.monotonic() >= end:
            raise Throttled("the namespace is too busy; batch your writes", retry_after=1.0)
        ceiling = min(MAX_PAUSE_S, BASE_PAUSE_S * 2 ** min(attempt, 10))
        self.clock.sleep(random.uniform(0, ceiling))  # noqa: S311  # full jitter, not a secret
