"""Applying a page of a pass: commits of a namespace one after another, each under the fence."""

import random
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from palimpsest.domain.batching import batched
from palimpsest.domain.errors import Throttled, TooLarge
from palimpsest.domain.passes import Displaced, Pass, PlannedChange, plan_pass_commit
from palimpsest.domain.vectors import Vector
from palimpsest.ports import Clock, Fences, RecordStore
from palimpsest.services.commit import BASE_PAUSE_S

COMMIT_CHANGES = 25
COMMIT_BYTES = 1_800_000
"""Of new content: what it replaces may be as large, and 4 MB is the most of a transaction."""

MAX_PAUSE_S = 0.1
"""Between two tries of a commit: shorter than those of clients, whose many small commits would
leave one large commit hardly a chance. There is but one pass that may write to a namespace.
"""

ITEMS = 96
"""Of a transaction's 100, beside clock, log, fence and key: a change takes a record, its former
version, and a vector of each model.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplyingService:
    """Commits pages. `models`: fingerprints of the models that vectors are held of, first the one
    of every day. `patience_s` bounds how long one commit contends for the clock.
    """

    store: RecordStore
    fences: Fences
    clock: Clock
    models: Sequence[str]
    patience_s: float = 14.0

    def apply(
        self,
        one: Pass,
        page: Sequence[PlannedChange],
        vectors: Mapping[str, tuple[str, Vector]],
        *,
        until: float,
    ) -> int:
        """Commit a page: how many commits that took. What clients have changed otherwise since the
        pass began stands. May be repeated: what is done already is left.

        Raises `Displaced` once another pass or a purge has begun, `Throttled` where the namespace
        stays too busy, for long or beyond `until` (monotonic seconds).
        """
        most = min(COMMIT_CHANGES, (ITEMS - 4) // (2 + len(self.models)))
        batches = batched(page, most=most, size=COMMIT_BYTES, size_of=_size)
        return sum(self._commit(one, batch, vectors, until=until) for batch in batches)

    def _commit(
        self,
        one: Pass,
        batch: Sequence[PlannedChange],
        vectors: Mapping[str, tuple[str, Vector]],
        *,
        until: float,
    ) -> int:
        end = min(self.clock.monotonic() + self.patience_s, until)
        attempt = 0
        while True:
            try:
                return self._attempt(one, batch, vectors)
            except Throttled:
                if self.clock.monotonic() >= end:
                    raise
            except TooLarge:  # with what it replaces
                if len(batch) == 1:
                    raise
                half = len(batch) // 2
                first = self._commit(one, batch[:half], vectors, until=until)
                return first + self._commit(one, batch[half:], vectors, until=until)
            ceiling = min(MAX_PAUSE_S, BASE_PAUSE_S * 2 ** min(attempt, 10))
            self.clock.sleep(random.uniform(0, ceiling))  # noqa: S311  # full jitter, not a secret
            attempt += 1

    def _attempt(
        self,
        one: Pass,
        batch: Sequence[PlannedChange],
        vectors: Mapping[str, tuple[str, Vector]],
    ) -> int:
        """One try; how many commits it was. Raises `Throttled` where others were writing too."""
        clock, records = self.store.read(one.tenant, one.namespace, [c.id for c in batch])
        plan = plan_pass_commit(
            one,
            batch,
            clock,
            records,
            vectors=vectors,
            models=self.models,
            now=self.clock.now(),
            commit_id=str(uuid.uuid4()),
        )
        if plan is None:
            return 0
        if self.store.commit(plan):
            return 1
        fence = self.fences.read(one.tenant, one.namespace)
        if fence.attempt != one.attempt:
            raise Displaced(fence.begun)
        raise Throttled("the namespace is too busy", retry_after=1.0)


def _size(change: PlannedChange) -> int:
    return change.content.size if change.content is not None else 0
