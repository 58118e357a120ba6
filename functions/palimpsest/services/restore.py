"""Restore: after the table was put back to an older point, revisions go on above all that were ever
seen, and the index holds what the table holds.

The index may then hold entries newer than the table's records, and its version guard would hide
true writes behind them. Clients may hold revisions that the table no longer knows; given out again,
they would name other content.
"""

import random
import uuid
from collections.abc import Mapping
from dataclasses import dataclass

from palimpsest.domain.commits import CommitPlan, LogEntry
from palimpsest.domain.errors import Throttled, Unavailable
from palimpsest.ports import Clock, GenerationRegister, RecordStore, SearchIndex
from palimpsest.services.project import Projected
from palimpsest.services.projections import Projection

MARGIN = 1_000
"""Revisions skipped beyond the highest that is known: they may have been acknowledged and lost
before the index had seen them.
"""

TRIES = 50
PROJECT_TRIES = 4
MAX_PAUSE_S = 0.4


@dataclass(frozen=True, slots=True)
class Jump:
    """One namespace whose clock jumped."""

    tenant: str
    namespace: str
    before: int
    after: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """What a restore found and did: whether the index was `ahead` of the table, the jumps, whether
    the index was `renewed`, its generation now, and how many texts were embedded.
    """

    ahead: bool
    jumps: tuple[Jump, ...]
    renewed: bool
    generation: str
    embedded: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreService:
    """Brings clocks and index in line with a table that may have lost its last commits."""

    store: RecordStore
    index: SearchIndex
    register: GenerationRegister
    projection: Projection
    clock: Clock

    def restore(self, *, jump: bool = False, renew: bool = False) -> Restored:
        """If the index is ahead of the table, or an earlier restore was interrupted: the clock of
        every namespace jumps, the index is renewed, and all is projected. Else nothing changes.

        `jump`: clocks jump and all is projected even if the index is not ahead: commits may be lost
        that it never saw. `renew`: the index is renewed too, because what is left of the table may
        not be what it was at one instant.

        May be repeated after an interruption at any point; no writer has to be stopped for its
        sake, but what is written before the clocks have jumped may get a lost revision. Raises
        `Unavailable` if table or index cannot answer, `Throttled` if a namespace is too busy.
        """
        heights = dict(self.index.heights())  # before the table: in operation it is never behind
        ahead = self.register.restoring() or self._is_ahead(heights)
        renew = renew or ahead
        if renew:  # noted first: once the clocks have jumped, the index may look right
            self.register.mark_restoring(begun=True)
        jumps = self._jump_all(heights) if renew or jump else ()
        if renew:
            self.index.renew()
            self.register.mark_restoring(begun=False)
        projected = [self._projected(one) for one in jumps]
        return Restored(
            ahead=ahead,
            jumps=jumps,
            renewed=renew,
            generation=self.index.generation(),
            embedded=sum(one.embedded for one in projected),
        )

    def _projected(self, jump: Jump) -> Projected:
        """All of a namespace; a projection that others stood in the way of is begun again."""
        for attempt in range(PROJECT_TRIES - 1):
            try:
                return self.projection.project(jump.tenant, jump.namespace)
            except Unavailable:
                self.clock.sleep(2**attempt)
        return self.projection.project(jump.tenant, jump.namespace)

    def _is_ahead(self, heights: Mapping[str, int]) -> bool:
        """Whether the index has an entry of a revision that the log has no commit of: lost ones may
        lie below the clock too, where later commits or a jump have gone past them.
        """
        return any(
            self._commit_at(partition, height) is None for partition, height in heights.items()
        )

    def _commit_at(self, partition: str, revision: int) -> LogEntry | None:
        """The commit that made exactly this revision; None if the table knows none."""
        found = self.store.log(*_names(partition), after=revision - 1, limit=1)
        return next((entry for entry in found if entry.revision == revision), None)

    def _jump_all(self, heights: Mapping[str, int]) -> tuple[Jump, ...]:
        """Every namespace that table or index know: what was lost may be of any of them."""
        known = dict.fromkeys(self.store.namespaces())
        known |= dict.fromkeys(map(_names, heights))
        return tuple(
            self._jump(tenant, namespace, height=heights.get(f"{tenant}#{namespace}", 0))
            for tenant, namespace in known
        )

    def _jump(self, tenant: str, namespace: str, *, height: int) -> Jump:
        for attempt in range(TRIES):
            plan = self._plan(tenant, namespace, height=height)
            if self.store.commit(plan):
                return Jump(tenant, namespace, plan.clock.revision, plan.revision)
            ceiling = min(MAX_PAUSE_S, 0.01 * 2**attempt)
            self.clock.sleep(random.uniform(0, ceiling))  # noqa: S311  # full jitter, not a secret
        raise Throttled(f"others keep writing to {namespace} of {tenant}: stop them, then restore")

    def _plan(self, tenant: str, namespace: str, *, height: int) -> CommitPlan:
        clock, _ = self.store.read(tenant, namespace)
        return CommitPlan(
            tenant=tenant,
            namespace=namespace,
            commit_id=str(uuid.uuid4()),
            clock=clock,
            counts=clock.counts,
            changes=(),
            at=self.clock.now(),
            by="restore",
            jump_to=max(clock.revision, height) + MARGIN,
        )


def _names(partition: str) -> tuple[str, str]:
    tenant, _, namespace = partition.partition("#")
    return tenant, namespace
