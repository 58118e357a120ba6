"""Two other ways to ask OpenSearch, each as its documentation recommends: Haystack's hybrid
retriever, and LangChain's vector store.

Haystack's asks both legs one after the other and joins them by rank; LangChain's is its k-NN leg
alone, because its hybrid search needs a plugin that the node has not. Both have our graph (Lucene,
m 16, ef_construction 128) instead of an engine with native libraries. Both are given the words that
our index has of a record, title included.

Importing this module needs `requirements/bench.txt`.
"""

import uuid
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import haystack
from haystack_integrations.components.retrievers.opensearch import OpenSearchHybridRetriever
from haystack_integrations.document_stores.opensearch import OpenSearchDocumentStore

with warnings.catch_warnings():  # no other package has this store, and the documentation names it
    warnings.simplefilter("ignore", DeprecationWarning)
    from langchain_community.vectorstores import OpenSearchVectorSearch

from benchmarks.engine_corpus import Asked, Corpus
from benchmarks.engine_sides import LIMIT, REQUEST_SECONDS

BUILT = {"m": 16, "ef_construction": 128}
SPACE, ENGINE = "cosinesimil", "lucene"
DEPTHS = (LIMIT, 100)
"""Candidates of a leg: what both take unless told otherwise, and what our service takes."""

Asking = Callable[[Asked], list[str]]


class HaystackEmbedder:
    """Haystack's protocol of an embedder of questions, over vectors that are known."""

    def __init__(self, known: Mapping[str, list[float]]) -> None:
        self._known = known
        haystack.component.set_output_types(self, embedding=list[float])

    def run(self, text: str) -> dict[str, Any]:
        return {"embedding": self._known[text]}


class Haystack:
    """`OpenSearchDocumentStore` and `OpenSearchHybridRetriever`."""

    name = "Haystack hybrid"

    def __init__(self, url: str, index: str, corpus: Corpus) -> None:
        self.corpus, self.index = corpus, index
        self.known = {one.text: list(one.vector) for one in corpus.questions}
        method = {"name": "hnsw", "engine": ENGINE, "space_type": SPACE, "parameters": BUILT}
        self.store = OpenSearchDocumentStore(
            hosts=url,
            index=index,
            embedding_dim=corpus.dimension,
            method=method,
            timeout=REQUEST_SECONDS,
        )
        self.store.create_index()

    def writing(self, rows: range) -> Callable[[], None]:
        documents = [
            haystack.Document(
                id=self.corpus.ids[row],
                content=self.corpus.contents[row].embedded_text,
                embedding=list(self.corpus.vector(row)),
            )
            for row in rows
        ]
        # its default waits for the node's own next refresh, which is no throughput
        return lambda: self.store.write_documents(documents, refresh=True)

    def asking(self, depth: int) -> Asking:
        """The first `LIMIT` of `depth` candidates a leg."""
        retriever = OpenSearchHybridRetriever(
            self.store,
            embedder=haystack.component(HaystackEmbedder)(self.known),
            top_k_bm25=depth,
            top_k_embedding=depth,
            top_k=LIMIT,
        )
        return lambda asked: [one.id for one in retriever.run(query=asked.text)["documents"]]


class LangChainEmbeddings:
    """LangChain's interface of an embedding model, over vectors that are known."""

    def __init__(self, known: Mapping[str, list[float]]) -> None:
        self._known = known

    def embed_query(self, text: str) -> list[float]:
        return self._known[text]


class LangChain:
    """`OpenSearchVectorSearch`."""

    name = "LangChain k-NN"

    def __init__(self, url: str, index: str, corpus: Corpus) -> None:
        self.corpus, self.index = corpus, index
        known = {one.text: list(one.vector) for one in corpus.questions}
        self.store = OpenSearchVectorSearch(
            url, index, LangChainEmbeddings(known), engine=ENGINE, timeout=REQUEST_SECONDS
        )
        self.store.create_index(corpus.dimension, index, space_type=SPACE, **BUILT)

    def writing(self, rows: range) -> Callable[[], None]:
        pairs = [
            (self.corpus.contents[row].embedded_text, list(self.corpus.vector(row))) for row in rows
        ]
        ids = [self.corpus.ids[row] for row in rows]
        return lambda: self.store.add_embeddings(pairs, ids=ids, bulk_size=len(pairs))

    def asking(self, depth: int) -> Asking:
        """The nearest `depth`."""
        return lambda asked: [one.id for one in self.store.similarity_search(asked.text, k=depth)]


Peer = Haystack | LangChain


def made(url: str, corpus: Corpus) -> list[Peer]:
    """Both, each with an empty index of its own."""
    return [
        peer(url, f"{peer.__name__.lower()}-{uuid.uuid4().hex[:8]}", corpus)
        for peer in (Haystack, LangChain)
    ]
