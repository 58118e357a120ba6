"""What the records function works with; no search index and no embedder is loaded."""

from collections.abc import Callable
from dataclasses import dataclass

from palimpsest.adapters.dynamodb.commit_log import DynamoCommitLog
from palimpsest.adapters.dynamodb.directory import DynamoDirectory
from palimpsest.adapters.dynamodb.documents import DynamoDocuments
from palimpsest.adapters.dynamodb.index_ledger import DynamoIndexLedger
from palimpsest.adapters.dynamodb.register import DynamoGenerationRegister
from palimpsest.adapters.dynamodb.signing_key import DynamoSigningKey
from palimpsest.adapters.dynamodb.store import DynamoRecordStore
from palimpsest.adapters.ingest_queue import SqsIngestQueue, make_client
from palimpsest.adapters.system import SystemClock
from palimpsest.bootstrap.parts import make_store, make_waker
from palimpsest.services.commit import CommitService
from palimpsest.services.history import HistoryService
from palimpsest.services.namespace_status import NamespaceStatusService
from palimpsest.services.namespaces import NamespaceListService
from palimpsest.services.unsearchable import UnsearchableService
from palimpsest.services.walks import WalkService
from palimpsest.settings import Settings, load


@dataclass(frozen=True, slots=True)
class RecordsServices:
    """What the records function works with."""

    settings: Settings
    store: DynamoRecordStore
    commits: CommitService
    walks: WalkService
    history: HistoryService
    namespaces: NamespaceListService
    status: NamespaceStatusService
    unsearchable: UnsearchableService
    signing_key: Callable[[], bytes]


def records_services(settings: Settings | None = None) -> RecordsServices:
    """Commits, reads and the status; no search index and no embedder is loaded."""
    settings = settings or load()
    store, client = make_store(settings)
    table, clock = settings.table_name, SystemClock()
    log, ledger = DynamoCommitLog(table, client), DynamoIndexLedger(table, client)
    register = DynamoGenerationRegister(table, client)
    documents = DynamoDocuments(table, client)
    queue = SqsIngestQueue(settings.ingest_queue_url, make_client)
    return RecordsServices(
        settings=settings,
        store=store,
        commits=CommitService(store, clock),
        walks=WalkService(store, log, clock, documents),
        history=HistoryService(store, log, clock),
        namespaces=NamespaceListService(DynamoDirectory(table, client)),
        status=NamespaceStatusService(store, ledger, register, documents),
        unsearchable=UnsearchableService(
            store, ledger, register, make_waker(settings), clock, documents, queue
        ),
        signing_key=DynamoSigningKey(table, client),
    )
