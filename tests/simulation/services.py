"""The real services and adapters over the simulated ports, put together as `bootstrap` does."""

from dataclasses import dataclass
from typing import Any

from palimpsest.adapters.dynamodb.commit_log import DynamoCommitLog
from palimpsest.adapters.dynamodb.documents import DynamoDocuments
from palimpsest.adapters.dynamodb.erasure import DynamoErasures
from palimpsest.adapters.dynamodb.generation_items import DynamoGenerationItems
from palimpsest.adapters.dynamodb.index_ledger import DynamoIndexLedger
from palimpsest.adapters.dynamodb.register import DynamoGenerationRegister
from palimpsest.adapters.dynamodb.store import DynamoRecordStore
from palimpsest.adapters.dynamodb.vectors import DynamoVectorStore
from palimpsest.bootstrap.searching import SearchParts, make_search
from palimpsest.ports import Embedder, Waker
from palimpsest.services.carry_over import CarryOverService
from palimpsest.services.commit import CommitService
from palimpsest.services.embed_records import RecordEmbedding
from palimpsest.services.erase import EraseService
from palimpsest.services.history import HistoryService
from palimpsest.services.project import ProjectService
from palimpsest.services.projections import GenerationProjections
from palimpsest.services.receipt import ReceiptService
from palimpsest.services.restore import RestoreService
from palimpsest.services.search import SearchService
from palimpsest.services.walks import WalkService
from simulation.embedding import SimulatedEmbedder
from simulation.engine import Engine
from simulation.engine_reads import PATIENCE_S, SimulatedGenerations
from simulation.gate import Gate
from simulation.workers import SimulatedExecutor

TABLE = "table"
DEPTH = 100
SEARCH_PATIENCE_S = 2.0


@dataclass(frozen=True, slots=True)
class RecordsServices:
    """What the function `records` works with."""

    store: DynamoRecordStore
    commits: CommitService
    walks: WalkService
    history: HistoryService


@dataclass(frozen=True, slots=True)
class ProjectorServices:
    """What the function `projector` works with."""

    store: DynamoRecordStore
    reading: ProjectService
    projection: GenerationProjections
    erasing: EraseService


@dataclass(frozen=True, slots=True)
class SearchServices:
    """What the function `search` works with."""

    search: SearchService
    receipts: ReceiptService


@dataclass(frozen=True, slots=True)
class OperatorServices:
    """What an operator's steps work with."""

    restore: RestoreService
    carry_over: CarryOverService


@dataclass(frozen=True, slots=True, kw_only=True)
class Composition:
    """Makes the services of one process. `following`: the model to carry over to, if any."""

    client: Any
    engine: Engine
    gate: Gate
    embedder: SimulatedEmbedder
    following: SimulatedEmbedder | None
    waker: Waker

    @property
    def _clock(self) -> Any:
        return self.gate.scheduler.clock

    @property
    def _embedders(self) -> dict[str, Embedder]:
        both = (self.embedder, self.following)
        return {one.fingerprint: one for one in both if one is not None}

    def store(self) -> DynamoRecordStore:
        return DynamoRecordStore(TABLE, self.client, self.client)

    def generations(self) -> SimulatedGenerations:
        return SimulatedGenerations(self.engine, self.gate)

    def records(self) -> RecordsServices:
        store, clock = self.store(), self._clock
        log = DynamoCommitLog(TABLE, self.client)
        return RecordsServices(
            store=store,
            commits=CommitService(store, clock),
            walks=WalkService(store, log, clock, DynamoDocuments(TABLE, self.client)),
            history=HistoryService(store, log, clock),
        )

    def projector(self) -> ProjectorServices:
        store, client, generations = self.store(), self.client, self.generations()
        reading = ProjectService(
            store=store,
            ledger=DynamoIndexLedger(TABLE, client),
            index=generations.reading(patience_s=PATIENCE_S),
            embedding=RecordEmbedding(self.embedder, DynamoVectorStore(TABLE, client)),
            register=DynamoGenerationRegister(TABLE, client),
            executor=self._executor(),
            clock=self._clock,
        )
        every = GenerationProjections(reading, generations, self._embedders)
        erasing = EraseService(DynamoErasures(TABLE, client), self._clock)
        return ProjectorServices(store, reading, every, erasing)

    def search(self) -> SearchServices:
        store, generations = self.store(), self.generations()
        parts = SearchParts(
            store=store,
            ledger=DynamoIndexLedger(TABLE, self.client),
            index=generations.reading(patience_s=SEARCH_PATIENCE_S),
            embedders=self._embedders,
            executor=self._executor(),
            clock=self._clock,
            waker=self.waker,
            depth=DEPTH,
        )

        def every() -> list[Any]:
            return [generations.index(one) for one in generations.kept()]

        receipts = ReceiptService(store, every, DynamoErasures(TABLE, self.client))
        return SearchServices(make_search(parts), receipts)

    def operator(self) -> OperatorServices:
        it = self.projector()
        restore = RestoreService(
            store=it.store,
            index=it.reading.index,
            register=it.reading.register,
            projection=it.projection,
            clock=self._clock,
        )
        carry_over = CarryOverService(
            store=it.store,
            ledger=it.reading.ledger,
            register=it.reading.register,
            generations=it.projection.generations,
            items=DynamoGenerationItems(TABLE, self.client),
            projections=it.projection,
            embedder=self.embedder,
            following=self.following,
            clock=self._clock,
        )
        return OperatorServices(restore, carry_over)

    def _executor(self) -> SimulatedExecutor:
        return SimulatedExecutor(self.gate.scheduler, self.gate.outside)
