"""What the search function works with."""

from collections.abc import Callable
from dataclasses import dataclass

from palimpsest.adapters.dynamodb.erasure import DynamoErasures
from palimpsest.adapters.dynamodb.index_ledger import DynamoIndexLedger
from palimpsest.adapters.dynamodb.register import DynamoGenerationRegister
from palimpsest.adapters.dynamodb.signing_key import DynamoSigningKey
from palimpsest.adapters.system import SystemClock, ThreadExecutor
from palimpsest.bootstrap.models import make_language_model, make_reranker
from palimpsest.bootstrap.parts import make_embedders, make_index, make_store, make_waker
from palimpsest.bootstrap.searching import SearchParts, make_explain, make_search
from palimpsest.ports import Embedder
from palimpsest.services.explain import ExplainService
from palimpsest.services.readiness import ReadinessService
from palimpsest.services.receipt import ReceiptService
from palimpsest.services.search import SearchService
from palimpsest.settings import Settings, load

SEARCH_PATIENCE_S = 2.0
READY_TIMEOUT_S = 5.0


@dataclass(frozen=True, slots=True)
class SearchServices:
    """What the search function works with."""

    settings: Settings
    parts: SearchParts
    search: SearchService
    explain: ExplainService
    receipts: ReceiptService
    readiness: ReadinessService
    signing_key: Callable[[], bytes]


def search_services(settings: Settings | None = None) -> SearchServices:
    """Search over index, embedder and table; receipts; readiness."""
    settings = settings or load()
    store, client = make_store(settings)
    table, clock, executor = settings.table_name, SystemClock(), ThreadExecutor()
    embedders = make_embedders(settings)
    kept = make_index(
        settings, fingerprint=embedders.main.fingerprint, patience_s=SEARCH_PATIENCE_S
    )
    parts = SearchParts(
        store=store,
        ledger=DynamoIndexLedger(table, client),
        index=kept.reading,
        embedders=embedders.by_fingerprint,
        executor=executor,
        clock=clock,
        waker=make_waker(settings),
        model=make_language_model(settings),
        reranker=make_reranker(settings),
        depth=settings.candidate_depth,
    )
    search = make_search(parts)
    return SearchServices(
        settings=settings,
        parts=parts,
        search=search,
        explain=make_explain(parts, search),
        receipts=ReceiptService(store, kept.every, DynamoErasures(table, client)),
        readiness=_readiness(parts, embedders.main, DynamoGenerationRegister(table, client)),
        signing_key=DynamoSigningKey(table, client),
    )


def _readiness(
    parts: SearchParts, embedder: Embedder, register: DynamoGenerationRegister
) -> ReadinessService:
    return ReadinessService(
        needed={
            "table": register.reading,
            "index": lambda: parts.index.legs("#", "ready"),  # asked anew, whatever is remembered
        },
        helpful={"embedder": lambda: embedder.embed_query("ready", timeout=READY_TIMEOUT_S)},
        executor=parts.executor,
        clock=parts.clock,
    )
