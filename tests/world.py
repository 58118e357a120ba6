"""A whole Palimpsest in one process: real services and adapters over moto, the plain index and the
simulated embedder, on a clock that a test may move."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, TypeVar

from palimpsest.adapters.dynamodb.client import make_client
from palimpsest.adapters.dynamodb.commit_log import DynamoCommitLog
from palimpsest.adapters.dynamodb.documents import DynamoDocuments
from palimpsest.adapters.dynamodb.erasure import DynamoErasures
from palimpsest.adapters.dynamodb.index_ledger import DynamoIndexLedger
from palimpsest.adapters.dynamodb.register import DynamoGenerationRegister
from palimpsest.adapters.dynamodb.store import DynamoRecordStore
from palimpsest.adapters.dynamodb.vectors import DynamoVectorStore
from palimpsest.adapters.memory import MemoryIndex
from palimpsest.adapters.simulated import SimulatedEmbedder
from palimpsest.bootstrap.searching import SearchParts, make_search
from palimpsest.domain.commit_planning import CommitRequest, Guard, Operation
from palimpsest.domain.entries import Entry, WriteResult
from palimpsest.domain.queries import SearchAnswer, SearchRequest
from palimpsest.domain.records import Content
from palimpsest.domain.upload_keys import UploadPlace
from palimpsest.ports import Embedder, LanguageModel, Reranker, SearchIndex
from palimpsest.services.commit import CommitService, Committed
from palimpsest.services.embed_records import RecordEmbedding
from palimpsest.services.erase import EraseService
from palimpsest.services.history import HistoryService
from palimpsest.services.namespace_status import NamespaceStatusService
from palimpsest.services.project import Projected, ProjectService
from palimpsest.services.unsearchable import UnsearchableService
from palimpsest.services.walks import WalkService

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

T = TypeVar("T")
TENANT, NAMESPACE = "acme", "notes"


@dataclass
class MovableClock:
    """A clock that stands still until it is moved or slept on."""

    instant: datetime = datetime(2026, 6, 1, tzinfo=UTC)
    elapsed: float = 0.0

    def now(self) -> datetime:
        return self.instant

    def monotonic(self) -> float:
        return self.elapsed

    def sleep(self, seconds: float) -> None:
        self.move(seconds)

    def move(self, seconds: float) -> None:
        self.elapsed += seconds
        self.instant += timedelta(seconds=seconds)


@dataclass(frozen=True, slots=True)
class Done:
    """A result that is already there."""

    work: Callable[[], Any]

    def result(self, timeout: float | None = None) -> Any:  # noqa: ARG002  # it is never waited for
        return self.work()


class InlineExecutor:
    """Runs work when its result is asked for, in the caller's thread."""

    def submit(self, work: Callable[[], T]) -> Done:
        return Done(work)


@dataclass(slots=True)
class NotedWakes:
    """Remembers what was asked to be woken."""

    asked: list[tuple[str, str, int]] = field(default_factory=list)

    def wake(self, tenant: str, namespace: str, revision: int, *, generation: str) -> None:  # noqa: ARG002
        self.asked.append((tenant, namespace, revision))


@dataclass(slots=True)
class NotedQueue:
    """Remembers which documents are to be looked at: path, seconds from now, whether to read them
    again."""

    sent: list[tuple[str, float, bool]] = field(default_factory=list)

    def send(self, place: UploadPlace, *, after: float = 0.0, again: bool = False) -> None:
        self.sent.append((place.path, after, again))


@dataclass(frozen=True, slots=True)
class IndexWithWrites:
    """An index whose writes a test has taken over."""

    index: SearchIndex
    wrapped: Callable[[Sequence[Entry]], Sequence[WriteResult]]

    def write(self, entries: Sequence[Entry], *, visible: bool = True) -> Sequence[WriteResult]:
        assert not visible  # a projection makes visible what it has written at once
        return self.wrapped(entries)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.index, name)


class World:
    """Every service over one table."""

    def __init__(
        self,
        table: str,
        *,
        index: SearchIndex | None = None,
        depth: int = 100,
        embedder: Embedder | None = None,
        model: LanguageModel | None = None,
        reranker: Reranker | None = None,
        client: "DynamoDBClient | None" = None,
        clock: MovableClock | None = None,
    ) -> None:
        given, client = client, client or make_client()
        self.table = table
        self.client = client
        self.clock = clock or MovableClock()
        self.embedder: Any = embedder or SimulatedEmbedder(dimension=64)
        self.index = index or MemoryIndex(fingerprint=self.embedder.fingerprint)
        self.wakes = NotedWakes()
        self.writer = given or make_client(attempts=1)
        self.store = DynamoRecordStore(table, client, self.writer)
        self.ledger = DynamoIndexLedger(table, client)
        self.vectors = DynamoVectorStore(table, client)
        self.register = DynamoGenerationRegister(table, client)
        self.log = DynamoCommitLog(table, client)
        self.commits = CommitService(self.store, self.clock)
        self.documents: Any = DynamoDocuments(table, client)
        self.queue = NotedQueue()
        self.walks = WalkService(self.store, self.log, self.clock, self.documents)
        self.history = HistoryService(self.store, self.log, self.clock)
        self.unsearchable = UnsearchableService(
            self.store,
            self.ledger,
            self.register,
            self.wakes,
            self.clock,
            self.documents,
            self.queue,
        )
        self.status = NamespaceStatusService(self.store, self.ledger, self.register, self.documents)
        self.projection = ProjectService(
            store=self.store,
            ledger=self.ledger,
            index=self.index,
            embedding=RecordEmbedding(self.embedder, self.vectors),
            register=self.register,
            executor=InlineExecutor(),
            clock=self.clock,
        )
        self.erasing = EraseService(DynamoErasures(table, client), self.clock)
        self.search_parts = SearchParts(
            store=self.store,
            ledger=self.ledger,
            index=self.index,
            embedders={self.embedder.fingerprint: self.embedder},
            executor=InlineExecutor(),
            clock=self.clock,
            waker=self.wakes,
            model=model,
            reranker=reranker,
            depth=depth,
        )
        self.searches = make_search(self.search_parts)

    def searches_with(self, **parts: Any) -> None:
        """From now on searches have these parts in place of their own."""
        self.search_parts = replace(self.search_parts, **parts)
        self.searches = make_search(self.search_parts)

    def writes(self, write: Callable[[Sequence[Entry]], Sequence[WriteResult]]) -> None:
        """Let the projection's writes go through `write`."""
        index: Any = IndexWithWrites(self.index, write)
        self.projection = replace(self.projection, index=index)

    def commit(
        self, *operations: Operation, expected: int | None = None, namespace: str = NAMESPACE
    ) -> Committed:
        return self.commits.commit(
            CommitRequest(
                tenant=TENANT,
                namespace=namespace,
                operations=operations,
                by="key",
                expected_revision=expected,
            )
        )

    def put(self, record_id: str, text: str, *, guard: Guard = None, **fields: Any) -> int:
        content = Content(text=text, **fields)
        return self.commit(Operation(id=record_id, content=content, guard=guard)).revision

    def put_many(self, texts: Mapping[str, str], **fields: Any) -> None:
        """Put records in commits of 25."""
        rows = list(texts.items())
        for start in range(0, len(rows), 25):
            self.commit(
                *(
                    Operation(id=record_id, content=Content(text=text, **fields))
                    for record_id, text in rows[start : start + 25]
                )
            )

    def forget(self, record_id: str, *, guard: Guard = None) -> int:
        return self.commit(Operation(id=record_id, content=None, guard=guard)).revision

    def project(self, *, retry_pending: bool = False) -> Projected:
        return self.projection.project(TENANT, NAMESPACE, retry_pending=retry_pending)

    def erase(self) -> int:
        return self.erasing.erase(TENANT, NAMESPACE, until=self.clock.monotonic() + 60)

    def search(self, query: str, **options: Any) -> SearchAnswer:
        return self.searches.search(
            SearchRequest(tenant=TENANT, query=query, **{"namespaces": (NAMESPACE,), **options})
        )

    def found(self, query: str, **options: Any) -> list[str]:
        return [hit.record.id for hit in self.search(query, **options).hits]
