"""What the reconcile function works with."""

from dataclasses import dataclass

from palimpsest.adapters.dynamodb.pass_keys import DynamoPassKeys
from palimpsest.adapters.memory_objects import MemoryObjects
from palimpsest.adapters.step_functions import StepFunctionsJobs, make_client
from palimpsest.bootstrap.reconciling import reconciling_parts
from palimpsest.ports import Clock, Jobs, ObjectStore
from palimpsest.services.answer_once import AnswerOnceService
from palimpsest.services.canonical_jobs import CanonicalRequests
from palimpsest.services.purge import PurgeService
from palimpsest.services.reconciling.passes import ReconcileService
from palimpsest.settings import Settings, given


@dataclass(frozen=True, slots=True)
class ReconcileServices:
    """What the reconcile function works with."""

    settings: Settings
    passes: ReconcileService
    canonical: CanonicalRequests
    purges: PurgeService
    once: AnswerOnceService
    jobs: Jobs
    objects: ObjectStore
    clock: Clock


def reconcile_services(settings: Settings | None = None) -> ReconcileServices:
    """Passes, canonical reconciles, purges and the jobs they become."""
    parts = reconciling_parts(settings)
    given(parts.settings, "jobs_machine_arn")
    store, clock = parts.projection.reading.store, parts.projection.reading.clock
    starter = StepFunctionsJobs(parts.settings.jobs_machine_arn, make_client)
    passes = ReconcileService(
        beginning=parts.beginning,
        planning=parts.planning,
        steps=parts.steps,
        jobs=parts.jobs,
        starter=starter,
        objects=parts.objects,
        passing=lambda: MemoryObjects(bucket=parts.settings.uploads_bucket),
        clock=clock,
    )
    canonical = CanonicalRequests(
        canonical=parts.canonical, store=store, jobs=parts.jobs, starter=starter, clock=clock
    )
    keys = DynamoPassKeys(parts.settings.table_name, parts.client, clock)
    return ReconcileServices(
        settings=parts.settings,
        passes=passes,
        canonical=canonical,
        purges=PurgeService(store=store, jobs=parts.jobs, starter=starter, clock=clock),
        once=AnswerOnceService(keys, clock),
        jobs=parts.jobs,
        objects=parts.objects,
        clock=clock,
    )
