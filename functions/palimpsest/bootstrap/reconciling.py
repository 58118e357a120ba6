"""The parts of passes, canonical reconciles and jobs, which a request and a state machine share."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from palimpsest.adapters.dynamodb.commit_log import DynamoCommitLog
from palimpsest.adapters.dynamodb.fences import DynamoFences
from palimpsest.adapters.dynamodb.jobs import DynamoJobs
from palimpsest.adapters.dynamodb.record_scan import DynamoRecordScan
from palimpsest.adapters.s3.client import make_client as make_s3
from palimpsest.adapters.s3.objects import S3Objects
from palimpsest.adapters.s3.uploads import S3Uploads
from palimpsest.bootstrap.projector import ProjectionParts, projection_parts
from palimpsest.ports import ObjectStore, Uploads
from palimpsest.services.canonical import CanonicalService
from palimpsest.services.embed_texts import TextEmbedding
from palimpsest.services.project import ProjectService
from palimpsest.services.prove import ProofService
from palimpsest.services.reconciling.applying import ApplyingService
from palimpsest.services.reconciling.beginning import BeginningService
from palimpsest.services.reconciling.planning import PlanningService
from palimpsest.services.reconciling.preparing import PreparingService
from palimpsest.services.reconciling.steps import PassSteps
from palimpsest.services.reconciling.verifying import VerifyingService
from palimpsest.settings import Settings, given

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


@dataclass(frozen=True, slots=True)
class ReconcilingParts:
    """What both functions are made of."""

    settings: Settings
    client: "DynamoDBClient"
    projection: ProjectionParts
    objects: ObjectStore
    uploads: Uploads
    jobs: DynamoJobs
    fences: DynamoFences
    beginning: BeginningService
    planning: PlanningService
    steps: PassSteps
    canonical: CanonicalService


def reconciling_parts(settings: Settings | None = None) -> ReconcilingParts:
    """The parts over the settings' table, index and bucket."""
    parts = projection_parts(settings)
    it, client, table = parts.reading, parts.client, parts.settings.table_name
    given(parts.settings, "uploads_bucket")
    fences, s3, bucket = DynamoFences(table, client), make_s3(), parts.settings.uploads_bucket
    embedder, held = it.embedding.embedder, it.embedding.vectors_held
    models = list(dict.fromkeys([embedder.fingerprint, *parts.embedders.by_fingerprint]))
    steps = PassSteps(
        store=it.store,
        fences=fences,
        preparing=PreparingService(TextEmbedding(embedder, it.clock), held),
        applying=ApplyingService(store=it.store, fences=fences, clock=it.clock, models=models),
        verifying=VerifyingService(
            store=it.store,
            ledger=it.ledger,
            index=it.index,
            projection=parts.generations or it,
            clock=it.clock,
        ),
    )
    return ReconcilingParts(
        settings=parts.settings,
        client=client,
        projection=parts,
        objects=S3Objects(s3, bucket=bucket),
        uploads=S3Uploads(s3, bucket=bucket),
        jobs=DynamoJobs(table, client),
        fences=fences,
        beginning=BeginningService(it.store, fences, DynamoCommitLog(table, client), it.clock),
        planning=PlanningService(
            DynamoRecordScan(table, client), held, embedder.fingerprint, embedder.dimension
        ),
        steps=steps,
        canonical=CanonicalService(
            store=it.store,
            proofs=ProofService(store=it.store, ledger=it.ledger),
            targets=lambda: _targets(parts),
        ),
    )


def _targets(parts: ProjectionParts) -> list[ProjectService]:
    """The projections into every generation that is kept, first the one that is read."""
    if parts.generations is None:
        return [parts.reading]
    kept = sorted(parts.generations.generations.kept(), key=lambda one: not one.read)
    return [parts.generations.of(one) for one in kept]
