"""Canonical reconcile: the index is compared with the table, and what differs is written again.

Nothing is taken from the index but ids: whatever is written, or removed, is what the table says
when it is read again.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from palimpsest.domain.entries import Entry, EntryState
from palimpsest.domain.pass_report import IDS_TOLD, Failure, PassReport
from palimpsest.domain.planning import ChangeKind
from palimpsest.ports import RecordStore
from palimpsest.services.project import ProjectService
from palimpsest.services.prove import Proof, ProofService

FAILURES_TOLD = 500
AHEAD = "index_ahead"
"""An entry newer than its record: the table was put back to an older point (`make restored`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CanonicalService:
    """Brings the index in line with the table. `targets`: the projections into all generations that
    are kept, first the one that is read.
    """

    store: RecordStore
    proofs: ProofService
    targets: Callable[[], Sequence[ProjectService]]

    def reconcile(self, tenant: str, namespace: str, *, dry_run: bool) -> PassReport:
        """The report: entries `added` were missing, `updated` ones stale or without their vector,
        `removed` ones had no record or stood beside the one of their id. Of the generation that is
        read; the others are brought in line too.

        Raises `Unavailable` if table or index cannot answer.
        """
        reports = [
            self._reconciled(tenant, namespace, target, dry_run=dry_run)
            for target in self.targets()
        ]
        worst = all(report.verified for report in reports)
        return replace(reports[0], verified=worst)

    def _reconciled(
        self, tenant: str, namespace: str, target: ProjectService, *, dry_run: bool
    ) -> PassReport:
        embedded = 0
        if not dry_run:
            newest = self.store.read(tenant, namespace)[0].revision
            done = target.project(tenant, namespace, retry_pending=True, upto=newest)
            embedded = done.embedded
        index = target.index
        strays = index.strays(f"{tenant}#{namespace}", remove=not dry_run)
        found = self.proofs.prove(tenant, namespace, index)
        after = found
        if not dry_run and (found.wrong or strays):
            embedded += self._mend(tenant, namespace, target, found)
            after = self.proofs.prove(tenant, namespace, index)
        ids = {
            ChangeKind.ADDED: found.missing,
            ChangeKind.UPDATED: found.differing,
            ChangeKind.REMOVED: found.orphaned,
        }
        return PassReport(
            applied=not dry_run,
            namespace=namespace,
            revision=self.store.read(tenant, namespace)[0].revision,
            source_revision=None,
            dry_run=dry_run,
            added=len(found.missing),
            updated=len(found.differing),
            removed=len(found.orphaned) + strays,
            unchanged=found.entries - len(found.missing) - len(found.differing),
            embedded=embedded,
            failed=[Failure(id=i, reason=AHEAD) for i in sorted(after.wrong)[:FAILURES_TOLD]]
            if not dry_run
            else (),
            verified=after.equal and (not dry_run or not strays),
            verification=_told(after, index.generation()),
            ids={kind: some[:IDS_TOLD] for kind, some in ids.items()} if dry_run else None,
        )

    def _mend(self, tenant: str, namespace: str, target: ProjectService, found: Proof) -> int:
        """Write again what is missing or differs, and hide what has no record; how many texts were
        embedded for it.
        """
        wanted = dict.fromkeys([*found.missing, *found.differing], 0)
        embedded = target.carry(tenant, namespace, wanted).embedded if wanted else 0
        states = {s.id: s for s in self._orphans(tenant, namespace, target, found)}
        clock, records = self.store.read(tenant, namespace, list(states))
        gone = [state for record_id, state in states.items() if record_id not in records]
        if gone:
            partition = f"{tenant}#{namespace}"
            target.index.write([_hidden(partition, state, clock.floor) for state in gone])
        return embedded

    @staticmethod
    def _orphans(
        tenant: str, namespace: str, target: ProjectService, found: Proof
    ) -> Sequence[EntryState]:
        orphaned = set(found.orphaned)
        if not orphaned:
            return []
        return [s for s in target.index.walk(f"{tenant}#{namespace}") if s.id in orphaned]


def _hidden(partition: str, state: EntryState, floor: int) -> Entry:
    """The tombstone entry over an entry without a record: of the purge that may have removed it, or
    of a later entry's own revision, so that a record of a later one goes over it.
    """
    revision = max(state.version // 2, floor)
    return Entry(
        partition=partition,
        id=state.id,
        revision=revision,
        version=Entry.version_of(revision, complete=True),
    )


def _told(proof: Proof, generation: str) -> dict[str, Any]:
    return {
        "revision": proof.revision,
        "entries": proof.entries,
        "digests": {"table": proof.digests[0], "index": proof.digests[1]},
        "index_generation": generation,
    }
