"""The composition root: which adapter stands behind which port, by the settings.

Each function calls the builder of its own services; a vendor is imported inside the branch that
uses it, so a function loads only what it needs.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from palimpsest.adapters.system import SystemClock
from palimpsest.ports import Embedder, SearchIndex
from palimpsest.services.commit import CommitService
from palimpsest.services.embed_records import RecordEmbedding
from palimpsest.settings import EmbedderKind, Settings, SettingsError, given, load

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

    from palimpsest.adapters.dynamodb.store import DynamoRecordStore
    from palimpsest.ports import Waker
    from palimpsest.services.erase import EraseService
    from palimpsest.services.history import HistoryService
    from palimpsest.services.namespace_status import NamespaceStatusService
    from palimpsest.services.namespaces import NamespaceListService
    from palimpsest.services.project import ProjectService
    from palimpsest.services.restore import RestoreService
    from palimpsest.services.search import SearchService
    from palimpsest.services.unsearchable import UnsearchableService
    from palimpsest.services.walks import WalkService

SEARCH_PATIENCE_S = 2.0


@dataclass(frozen=True, slots=True)
class RecordsServices:
    """What the records function works with."""

    settings: Settings
    store: "DynamoRecordStore"
    commits: CommitService
    walks: "WalkService"
    history: "HistoryService"
    namespaces: "NamespaceListService"
    status: "NamespaceStatusService"
    unsearchable: "UnsearchableService"
    signing_key: Callable[[], bytes]


@dataclass(frozen=True, slots=True)
class SearchServices:
    """What the search function works with."""

    settings: Settings
    search: "SearchService"


@dataclass(frozen=True, slots=True)
class ProjectorServices:
    """What the projector works with."""

    settings: Settings
    store: "DynamoRecordStore"
    projection: "ProjectService"
    erasing: "EraseService"


def prime(services: Callable[[], object]) -> None:
    """Build a function's services while Lambda initialises it; elsewhere an import does nothing."""
    if os.environ.get("AWS_LAMBDA_FUNCTION_NAME"):
        services()


def records_services(settings: Settings | None = None) -> RecordsServices:
    """Commits, reads and the status; no search index and no embedder is loaded."""
    from palimpsest.adapters.dynamodb.commit_log import DynamoCommitLog
    from palimpsest.adapters.dynamodb.directory import DynamoDirectory
    from palimpsest.adapters.dynamodb.index_ledger import DynamoIndexLedger
    from palimpsest.adapters.dynamodb.register import DynamoGenerationRegister
    from palimpsest.adapters.dynamodb.signing_key import DynamoSigningKey
    from palimpsest.services.history import HistoryService
    from palimpsest.services.namespace_status import NamespaceStatusService
    from palimpsest.services.namespaces import NamespaceListService
    from palimpsest.services.unsearchable import UnsearchableService
    from palimpsest.services.walks import WalkService

    settings = settings or load()
    store, client = _store(settings)
    table, clock = settings.table_name, SystemClock()
    log, ledger = DynamoCommitLog(table, client), DynamoIndexLedger(table, client)
    register = DynamoGenerationRegister(table, client)
    return RecordsServices(
        settings=settings,
        store=store,
        commits=CommitService(store, clock),
        walks=WalkService(store, log, clock),
        history=HistoryService(store, log, clock),
        namespaces=NamespaceListService(DynamoDirectory(table, client)),
        status=NamespaceStatusService(store, ledger, register),
        unsearchable=UnsearchableService(store, ledger, register, _waker(settings), clock),
        signing_key=DynamoSigningKey(table, client),
    )


def search_services(settings: Settings | None = None) -> SearchServices:
    """Search over index, embedder and table."""
    from palimpsest.adapters.dynamodb.index_ledger import DynamoIndexLedger
    from palimpsest.adapters.system import ThreadExecutor
    from palimpsest.services.search import SearchService

    settings = settings or load()
    store, client = _store(settings)
    embedder = make_embedder(settings)
    return SearchServices(
        settings,
        SearchService(
            store=store,
            ledger=DynamoIndexLedger(settings.table_name, client),
            index=make_index(
                settings, fingerprint=embedder.fingerprint, patience_s=SEARCH_PATIENCE_S
            ),
            embedder=embedder,
            executor=ThreadExecutor(),
            clock=SystemClock(),
            waker=_waker(settings),
            depth=settings.candidate_depth,
        ),
    )


def projector_services(settings: Settings | None = None) -> ProjectorServices:
    """The projection and the eraser: the only writers of the index and of vectors."""
    from palimpsest.adapters.dynamodb.erasure import DynamoErasures
    from palimpsest.adapters.dynamodb.index_ledger import DynamoIndexLedger
    from palimpsest.adapters.dynamodb.register import DynamoGenerationRegister
    from palimpsest.adapters.dynamodb.vectors import DynamoVectorStore
    from palimpsest.services.erase import EraseService
    from palimpsest.services.project import ProjectService

    settings = settings or load()
    store, client = _store(settings)
    embedder = make_embedder(settings)
    return ProjectorServices(
        settings,
        store,
        ProjectService(
            store=store,
            ledger=DynamoIndexLedger(settings.table_name, client),
            index=make_index(settings, fingerprint=embedder.fingerprint),
            embedding=RecordEmbedding(embedder, DynamoVectorStore(settings.table_name, client)),
            register=DynamoGenerationRegister(settings.table_name, client),
            clock=SystemClock(),
        ),
        EraseService(DynamoErasures(settings.table_name, client), SystemClock()),
    )


def restore_services(settings: Settings | None = None) -> "RestoreService":
    """The operator's restore, over the projector's services."""
    from palimpsest.services.restore import RestoreService

    it = projector_services(settings).projection
    return RestoreService(
        store=it.store, index=it.index, register=it.register, projection=it, clock=it.clock
    )


def _store(settings: Settings) -> "tuple[DynamoRecordStore, DynamoDBClient]":
    from palimpsest.adapters.dynamodb.client import make_client
    from palimpsest.adapters.dynamodb.store import DynamoRecordStore

    client = make_client()
    return DynamoRecordStore(settings.table_name, client, make_client(attempts=1)), client


def _waker(settings: Settings) -> "Waker":
    from palimpsest.adapters.wake_queue import NoWaker, SqsWaker, make_client

    return SqsWaker(settings.wake_queue_url, make_client) if settings.wake_queue_url else NoWaker()


def make_index(settings: Settings, *, fingerprint: str, patience_s: float = 10.0) -> SearchIndex:
    """The search index of `ENGINE`, which waits at most `patience_s` for another process. Raises
    `SettingsError` where that one cannot serve.
    """
    given(settings, "index_folder")
    # functions on AWS share no folder: each would have an index of its own
    if settings.stage != "local":
        raise SettingsError("ENGINE is sqlite, which serves functions of one machine only")
    from palimpsest.adapters.sqlite import SqliteIndex

    folder = Path(settings.index_folder)
    return SqliteIndex(folder, fingerprint=fingerprint, busy_seconds=patience_s)


def make_embedder(settings: Settings) -> Embedder:
    """The embedder of `EMBEDDER`."""
    if settings.embedder is EmbedderKind.SIMULATED:
        from palimpsest.adapters.simulated import SimulatedEmbedder

        return SimulatedEmbedder(
            dimension=settings.embedding_dimension,
            fingerprint=settings.embedding_fingerprint or None,
        )
    if settings.embedder is EmbedderKind.BEDROCK:
        return _bedrock(settings)
    if settings.embedder is EmbedderKind.OPENAI:
        return _openai(settings)
    raise SettingsError(f"EMBEDDER {settings.embedder.value} is not offered to functions")


def _bedrock(settings: Settings) -> Embedder:
    given(settings, "embedding_model")
    import boto3
    from botocore.config import Config

    from palimpsest.adapters.bedrock_embeddings import BedrockEmbedder

    # a request cannot be broken off, so its own time-outs end before the stage's
    config = Config(connect_timeout=1, read_timeout=4, retries={"total_max_attempts": 1})
    return BedrockEmbedder(
        boto3.client("bedrock-runtime", config=config),
        model=settings.embedding_model,
        dimension=settings.embedding_dimension,
    )


def _openai(settings: Settings) -> Embedder:
    given(settings, "embedding_url", "embedding_model")
    from palimpsest.adapters.openai_compatible import OpenAICompatibleEmbedder

    return OpenAICompatibleEmbedder(
        base_url=settings.embedding_url,
        model=settings.embedding_model,
        dimension=settings.embedding_dimension,
        api_key=_api_key(settings),
        fingerprint=settings.embedding_fingerprint or None,
    )


def _api_key(settings: Settings) -> str | None:
    if not settings.embedding_api_key_arn:
        return None
    import boto3

    secrets = boto3.client("secretsmanager")
    secret = secrets.get_secret_value(SecretId=settings.embedding_api_key_arn)
    return str(secret["SecretString"])
