"""A world with everything that reconciles: passes, canonical ones, purges, and their jobs, whose
machine is a plain loop over the steps."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from palimpsest.adapters.dynamodb.fences import DynamoFences
from palimpsest.adapters.dynamodb.jobs import DynamoJobs
from palimpsest.adapters.dynamodb.pass_keys import DynamoPassKeys
from palimpsest.adapters.dynamodb.purging import DynamoNamespaceErasure
from palimpsest.adapters.dynamodb.record_scan import DynamoRecordScan
from palimpsest.adapters.memory_objects import MemoryObjects
from palimpsest.adapters.memory_uploads import MemoryUploads
from palimpsest.api.record_list import listed
from palimpsest.domain.jobs import Job
from palimpsest.domain.pass_report import PassReport
from palimpsest.domain.records import Content
from palimpsest.ports import NamespaceErasure, ObjectStore, RecordScan
from palimpsest.services.canonical import CanonicalService
from palimpsest.services.canonical_jobs import CanonicalJobService, CanonicalRequests
from palimpsest.services.embed_texts import TextEmbedding
from palimpsest.services.prove import ProofService
from palimpsest.services.purge import PurgeService
from palimpsest.services.purge_steps import PurgeJobService
from palimpsest.services.reconciling.applying import ApplyingService
from palimpsest.services.reconciling.beginning import BeginningService, PassRequest
from palimpsest.services.reconciling.pass_steps import PassJobService
from palimpsest.services.reconciling.passes import ReconcileService
from palimpsest.services.reconciling.planning import PlanningService
from palimpsest.services.reconciling.preparing import PreparingService
from palimpsest.services.reconciling.steps import PassSteps
from palimpsest.services.reconciling.verifying import VerifyingService
from world import NAMESPACE, TENANT, World

LATER = 1e12


@dataclass(slots=True)
class StartedJobs:
    """Remembers what was started; nothing runs until a test says so. `over`: names whose machine
    has ended.
    """

    payloads: list[Mapping[str, Any]] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    over: set[str] = field(default_factory=set)

    def start(self, name: str, payload: Mapping[str, Any]) -> None:
        assert 1 <= len(name) <= 80
        self.payloads.append(payload)
        self.names.append(name)

    def running(self, name: str) -> bool | None:
        return name not in self.over if name in self.names else None


class ReconcileWorld(World):
    """Every service of reconciles over one table, and objects in memory."""

    def __init__(self, table: str, **parts: Any) -> None:
        super().__init__(table, **parts)
        self.objects: ObjectStore = MemoryObjects()
        self.uploads: Any = MemoryUploads(self.clock)
        self.passing: Callable[[], ObjectStore] = MemoryObjects
        self.scan: RecordScan = DynamoRecordScan(table, self.client)
        self.erasure: NamespaceErasure = DynamoNamespaceErasure(table, self.client)
        self.fences = DynamoFences(table, self.client)
        self.jobs = DynamoJobs(table, self.client)
        self.starter = StartedJobs()
        self.drifts: list[tuple[str, str, int]] = []
        self.compose()

    def compose(self) -> None:
        """Make the services anew, of the parts as they are now."""
        it, clock, embedder = self.projection, self.clock, self.embedder
        self.beginning = BeginningService(self.store, self.fences, self.log, clock)
        planning = PlanningService(
            self.scan, self.vectors, embedder.fingerprint, embedder.dimension
        )
        self.steps = PassSteps(
            store=self.store,
            fences=self.fences,
            preparing=PreparingService(TextEmbedding(embedder, clock), self.vectors),
            applying=ApplyingService(
                store=self.store, fences=self.fences, clock=clock, models=[embedder.fingerprint]
            ),
            verifying=VerifyingService(
                store=self.store,
                ledger=self.ledger,
                index=self.index,
                projection=it,
                clock=self.clock,
            ),
        )
        self.passes = ReconcileService(
            beginning=self.beginning,
            planning=planning,
            steps=self.steps,
            jobs=self.jobs,
            starter=self.starter,
            objects=self.objects,
            passing=self.passing,
            clock=clock,
        )
        self.pass_jobs = PassJobService(
            beginning=self.beginning,
            planning=planning,
            steps=self.steps,
            fences=self.fences,
            jobs=self.jobs,
            objects=self.objects,
            clock=clock,
            read_list=listed,
        )
        self.canonical = CanonicalService(
            store=self.store,
            proofs=ProofService(store=self.store, ledger=self.ledger),
            targets=lambda: [self.projection],
        )
        self.canonical_requests = CanonicalRequests(
            canonical=self.canonical,
            store=self.store,
            jobs=self.jobs,
            starter=self.starter,
            clock=clock,
        )
        self.canonical_jobs = CanonicalJobService(
            canonical=self.canonical,
            store=self.store,
            jobs=self.jobs,
            clock=clock,
            drifted=lambda *told: self.drifts.append(told),
        )
        self.purges = PurgeService(
            store=self.store, jobs=self.jobs, starter=self.starter, clock=clock
        )
        self.purge_jobs = PurgeJobService(
            store=self.store,
            erasure=self.erasure,
            indexes=lambda: [self.index],
            objects=self.objects,
            uploads=self.uploads,
            documents=self.documents,
            jobs=self.jobs,
            clock=clock,
        )
        self.keys = DynamoPassKeys(self.table, self.client, clock)

    def request(self, revision: int, *, forget: bool = False) -> PassRequest:
        return PassRequest(
            tenant=TENANT, namespace=NAMESPACE, revision=revision, forget=forget, by="key"
        )

    def reconcile(
        self,
        revision: int,
        active: Mapping[str, str | Content],
        *,
        forget: bool = False,
        dry_run: bool = False,
    ) -> PassReport:
        """A pass that is short enough for its request; its report."""
        request = self.request(revision, forget=forget)
        done = self.passes.reconcile(request, desired(active), dry_run=dry_run)
        assert isinstance(done, PassReport)
        return done

    def begun(
        self, revision: int, active: Mapping[str, str | Content], *, dry_run: bool = False
    ) -> Job:
        """A pass that is a job."""
        done = self.passes.reconcile(
            self.request(revision), desired(active), dry_run=dry_run, job=True
        )
        assert isinstance(done, Job)
        return done

    def job(self, job: Job) -> Job:
        """The job as it stands."""
        found = self.jobs.get(job.tenant, job.id)
        assert found is not None
        return found

    def run(self, job: Job) -> Job:
        """Take a reconcile job's steps to its end; the job then."""
        pages, apply = self.pass_jobs.plan(self.job(job))
        if apply:
            for page in pages:
                self.pass_jobs.prepare(self.job(job), page, until=LATER)
            while not self.pass_jobs.apply(self.job(job), until=LATER):
                pass
            self.pass_jobs.verify(self.job(job), until=LATER)
        self.pass_jobs.finish(self.job(job))
        return self.job(job)

    def run_purge(self, job: Job) -> Job:
        """Take a purge's steps to its end; the job then."""
        while not self.purge_jobs.erase(self.job(job), until=LATER):
            pass
        self.purge_jobs.finish(self.job(job))
        return self.job(job)

    def active(self) -> dict[str, str]:
        """The texts of the active records by id."""
        found = DynamoRecordScan(self.table, self.client).standing(TENANT, NAMESPACE)
        clock, records = self.store.read(TENANT, NAMESPACE, [one.id for one in found])
        return {
            record.id: record.content.text
            for record in records.values()
            if record.status == "active" and record.content and record.revision > clock.floor
        }

    def with_embedder(self, embedder: Any) -> None:
        """From now on this one embeds."""
        self.embedder = embedder
        embedding = replace(self.projection.embedding, embedder=embedder)
        self.projection = replace(self.projection, embedding=embedding)
        self.compose()


def desired(active: Mapping[str, str | Content]) -> Sequence[tuple[str, Content]]:
    """The list of these texts or contents."""
    return [(i, Content(text=c) if isinstance(c, str) else c) for i, c in active.items()]


def facts(count: int, mark: str = "first") -> dict[str, str]:
    """So many records with texts of their own."""
    return {f"f{n:04}": f"Fact {n} of the {mark} list." for n in range(count)}
