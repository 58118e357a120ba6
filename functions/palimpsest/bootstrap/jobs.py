"""What the jobs function works with."""

from collections.abc import Callable
from dataclasses import dataclass

from palimpsest.adapters.dynamodb.documents import DynamoDocuments
from palimpsest.adapters.dynamodb.purging import DynamoNamespaceErasure
from palimpsest.adapters.step_functions import StepFunctionsJobs, make_client
from palimpsest.bootstrap.parts import KeptIndexes
from palimpsest.bootstrap.reconciling import ReconcilingParts, reconciling_parts
from palimpsest.ports import Clock, Jobs
from palimpsest.services.canonical_jobs import CanonicalJobService
from palimpsest.services.purge_steps import PurgeJobService
from palimpsest.services.reconciling.pass_steps import ListReader, PassJobService
from palimpsest.services.resume_jobs import ResumeService
from palimpsest.settings import Settings, given


@dataclass(frozen=True, slots=True)
class JobsServices:
    """What the jobs function works with."""

    settings: Settings
    passes: PassJobService
    canonical: CanonicalJobService
    purges: PurgeJobService
    resuming: ResumeService
    jobs: Jobs
    clock: Clock


def jobs_services(
    read_list: ListReader,
    drifted: Callable[[str, str, int], None],
    settings: Settings | None = None,
) -> JobsServices:
    """The steps of jobs. `read_list` checks the lines of lists; `drifted` is told what the daily
    round finds.
    """
    parts = reconciling_parts(settings)
    given(parts.settings, "jobs_machine_arn")
    store, clock = parts.projection.reading.store, parts.projection.reading.clock
    return JobsServices(
        settings=parts.settings,
        passes=_passes(parts, read_list),
        canonical=CanonicalJobService(
            canonical=parts.canonical,
            store=store,
            jobs=parts.jobs,
            clock=clock,
            drifted=drifted,
        ),
        purges=_purges(parts),
        resuming=ResumeService(
            store=store,
            jobs=parts.jobs,
            starter=StepFunctionsJobs(parts.settings.jobs_machine_arn, make_client),
            clock=clock,
        ),
        jobs=parts.jobs,
        clock=clock,
    )


def _passes(parts: ReconcilingParts, read_list: ListReader) -> PassJobService:
    return PassJobService(
        beginning=parts.beginning,
        planning=parts.planning,
        steps=parts.steps,
        fences=parts.fences,
        jobs=parts.jobs,
        objects=parts.objects,
        clock=parts.projection.reading.clock,
        read_list=read_list,
    )


def _purges(parts: ReconcilingParts) -> PurgeJobService:
    return PurgeJobService(
        store=parts.projection.reading.store,
        erasure=DynamoNamespaceErasure(parts.settings.table_name, parts.client),
        indexes=lambda: _indexes(parts).every(),
        objects=parts.objects,
        uploads=parts.uploads,
        documents=DynamoDocuments(parts.settings.table_name, parts.client),
        jobs=parts.jobs,
        clock=parts.projection.reading.clock,
    )


def _indexes(parts: ReconcilingParts) -> KeptIndexes:
    every = parts.projection.generations
    return KeptIndexes(parts.projection.reading.index, every.generations if every else None)
