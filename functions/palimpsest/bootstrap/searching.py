"""The search service, put together from its ports."""

from collections.abc import Mapping
from dataclasses import dataclass

from palimpsest.ports import (
    Clock,
    Embedder,
    Executor,
    IndexLedger,
    LanguageModel,
    RecordStore,
    Reranker,
    SearchIndex,
    Waker,
)
from palimpsest.services.ask_legs import LegAsker
from palimpsest.services.choose_legs import LegChoice
from palimpsest.services.deepening import Deepening
from palimpsest.services.explain import ExplainService
from palimpsest.services.look_around import LookingAround
from palimpsest.services.query_vector import QueryVectors
from palimpsest.services.reranking import Reranking
from palimpsest.services.rewrite import RewriteService
from palimpsest.services.search import SearchService


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchParts:
    """What a search needs. `embedders` by fingerprint; without `model` nothing is rewritten,
    without `reranker` nothing reranked. `depth`: candidates of a leg.
    """

    store: RecordStore
    ledger: IndexLedger
    index: SearchIndex
    embedders: Mapping[str, Embedder]
    executor: Executor
    clock: Clock
    waker: Waker
    model: LanguageModel | None = None
    reranker: Reranker | None = None
    depth: int = 100


def make_search(parts: SearchParts) -> SearchService:
    """The service over these parts."""
    executor, clock = parts.executor, parts.clock
    vectors = QueryVectors(parts.embedders, executor=executor, clock=clock)
    rewriter = RewriteService(parts.model, executor=executor, clock=clock)
    return SearchService(
        looking=LookingAround(
            store=parts.store,
            ledger=parts.ledger,
            index=parts.index,
            vectors=vectors,
            deepening=Deepening(rewriter=rewriter, clock=clock),
            executor=executor,
            clock=clock,
        ),
        legs=LegChoice(
            asker=LegAsker(parts.index, executor),
            vectors=vectors,
            store=parts.store,
            executor=executor,
            clock=clock,
        ),
        reranking=Reranking(reranker=parts.reranker, executor=executor, clock=clock),
        store=parts.store,
        executor=executor,
        clock=clock,
        waker=parts.waker,
        depth=parts.depth,
    )


def make_explain(parts: SearchParts, searches: SearchService) -> ExplainService:
    """The service that explains what `searches`, made of the same parts, does."""
    return ExplainService(
        searches=searches,
        store=parts.store,
        index=parts.index,
        asker=LegAsker(parts.index, parts.executor),
    )
