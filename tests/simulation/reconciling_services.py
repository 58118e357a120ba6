"""The services of the functions `reconcile` and `jobs` over the simulated ports, put together as
`bootstrap` does.
"""

from dataclasses import dataclass
from typing import Any

from palimpsest.adapters.dynamodb.commit_log import DynamoCommitLog
from palimpsest.adapters.dynamodb.documents import DynamoDocuments
from palimpsest.adapters.dynamodb.fences import DynamoFences
from palimpsest.adapters.dynamodb.jobs import DynamoJobs
from palimpsest.adapters.dynamodb.pass_keys import DynamoPassKeys
from palimpsest.adapters.dynamodb.purging import DynamoNamespaceErasure
from palimpsest.adapters.dynamodb.record_scan import DynamoRecordScan
from palimpsest.adapters.memory_objects import MemoryObjects
from palimpsest.adapters.memory_uploads import MemoryUploads
from palimpsest.api.record_list import listed
from palimpsest.ports import Clock
from palimpsest.services.answer_once import AnswerOnceService
from palimpsest.services.canonical import CanonicalService
from palimpsest.services.canonical_jobs import CanonicalJobService, CanonicalRequests
from palimpsest.services.embed_texts import TextEmbedding
from palimpsest.services.project import ProjectService
from palimpsest.services.prove import ProofService
from palimpsest.services.purge import PurgeService
from palimpsest.services.purge_steps import PurgeJobService
from palimpsest.services.reconciling.applying import ApplyingService
from palimpsest.services.reconciling.pass_steps import PassJobService
from palimpsest.services.reconciling.passes import ReconcileService
from palimpsest.services.reconciling.planning import PlanningService
from palimpsest.services.reconciling.preparing import PreparingService
from palimpsest.services.reconciling.steps import PassSteps
from palimpsest.services.reconciling.verifying import VerifyingService
from palimpsest.services.resume_jobs import ResumeService
from simulation.machines import Machines
from simulation.objects import SimulatedObjects
from simulation.passes import Passes
from simulation.services import TABLE, Composition, ProjectorServices
from simulation.watched_beginning import WatchedBeginning


@dataclass(frozen=True, slots=True)
class ReconcileServices:
    """What the function `reconcile` works with."""

    passes: ReconcileService
    canonical: CanonicalRequests
    purges: PurgeService
    once: AnswerOnceService
    jobs: DynamoJobs


@dataclass(frozen=True, slots=True)
class JobsServices:
    """What the function `jobs` works with."""

    passes: PassJobService
    canonical: CanonicalJobService
    purges: PurgeJobService
    resuming: ResumeService
    jobs: DynamoJobs
    clock: Clock


@dataclass(frozen=True, slots=True, kw_only=True)
class _Parts:
    projector: ProjectorServices
    fences: DynamoFences
    jobs: DynamoJobs
    beginning: WatchedBeginning
    planning: PlanningService
    steps: PassSteps
    canonical: CanonicalService
    clock: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class ReconcilingComposition:
    """Makes the services of one process of either function."""

    made: Composition
    objects: SimulatedObjects
    machines: Machines
    passes: Passes

    def reconcile(self) -> ReconcileServices:
        parts = self._parts()
        store, starter, clock = parts.projector.store, self.machines, parts.clock
        passes = ReconcileService(
            beginning=parts.beginning,
            planning=parts.planning,
            steps=parts.steps,
            jobs=parts.jobs,
            starter=starter,
            objects=self.objects,
            passing=MemoryObjects,
            clock=clock,
        )
        canonical = CanonicalRequests(
            canonical=parts.canonical, store=store, jobs=parts.jobs, starter=starter, clock=clock
        )
        purges = PurgeService(store=store, jobs=parts.jobs, starter=starter, clock=clock)
        once = AnswerOnceService(DynamoPassKeys(TABLE, self.made.client, clock), clock)
        return ReconcileServices(passes, canonical, purges, once, parts.jobs)

    def jobs(self) -> JobsServices:
        parts = self._parts()
        store, clock, generations = parts.projector.store, parts.clock, self.made.generations()
        passes = PassJobService(
            beginning=parts.beginning,
            planning=parts.planning,
            steps=parts.steps,
            fences=parts.fences,
            jobs=parts.jobs,
            objects=self.objects,
            clock=clock,
            read_list=listed,
        )
        canonical = CanonicalJobService(
            canonical=parts.canonical,
            store=store,
            jobs=parts.jobs,
            clock=clock,
            drifted=lambda *_: None,
        )
        purges = PurgeJobService(
            store=store,
            erasure=DynamoNamespaceErasure(TABLE, self.made.client),
            indexes=lambda: [generations.index(one) for one in generations.kept()],
            objects=self.objects,
            uploads=MemoryUploads(clock),
            documents=DynamoDocuments(TABLE, self.made.client),
            jobs=parts.jobs,
            clock=clock,
        )
        resuming = ResumeService(store=store, jobs=parts.jobs, starter=self.machines, clock=clock)
        return JobsServices(passes, canonical, purges, resuming, parts.jobs, clock)

    def _parts(self) -> _Parts:
        client, it = self.made.client, self.made.projector()
        store, reading, clock = it.store, it.reading, it.reading.clock
        embedder, held = reading.embedding.embedder, reading.embedding.vectors_held
        models = list(it.projection.embedders)
        fences = DynamoFences(TABLE, client)
        steps = PassSteps(
            store=store,
            fences=fences,
            preparing=PreparingService(TextEmbedding(embedder, clock), held),
            applying=ApplyingService(store=store, fences=fences, clock=clock, models=models),
            verifying=VerifyingService(
                store=store,
                ledger=reading.ledger,
                index=reading.index,
                projection=it.projection,
                clock=reading.clock,
            ),
        )

        def targets() -> list[ProjectService]:
            kept = sorted(it.projection.generations.kept(), key=lambda one: not one.read)
            return [it.projection.of(one) for one in kept]

        log = DynamoCommitLog(TABLE, client)
        return _Parts(
            projector=it,
            fences=fences,
            jobs=DynamoJobs(TABLE, client),
            beginning=WatchedBeginning(store, fences, log, clock, self.passes),
            planning=PlanningService(DynamoRecordScan(TABLE, client), held, embedder.fingerprint),
            steps=steps,
            canonical=CanonicalService(
                store=store,
                proofs=ProofService(store=store, ledger=reading.ledger),
                targets=targets,
            ),
            clock=clock,
        )
