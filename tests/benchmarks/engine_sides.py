"""Contenders of the OpenSearch benchmark: our services in this process, and the bare client.

`Ours` is the search service and the projection as functions have them, over the real index and a
table in memory. `Raw` sends what our adapter would send, made beforehand by the adapter's own
functions, to the same index: it is the limit of what any client of that index can reach. `Helper`
writes the same documents with the client's own bulk helper, which makes their JSON as it goes.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from opensearchpy import OpenSearch, helpers

from benchmarks.engine_corpus import Asked, Corpus
from benchmarks.engine_table import NAMESPACE, PARTITION, TENANT, MemoryTable
from palimpsest.adapters.opensearch import Catalogue, Endpoint, OpenSearchGenerations, make_client
from palimpsest.adapters.opensearch.asking import ENGINE_SHARE
from palimpsest.adapters.opensearch.catalogue import write_alias
from palimpsest.adapters.opensearch.documents import prepared
from palimpsest.adapters.opensearch.questions import payload
from palimpsest.adapters.system import SystemClock, ThreadExecutor
from palimpsest.adapters.wake_queue import NoWaker
from palimpsest.bootstrap.searching import SearchParts, make_search
from palimpsest.domain.entries import Leg, LegQuery
from palimpsest.domain.generations import Generation
from palimpsest.domain.lexical import FieldWeights
from palimpsest.domain.queries import SearchAnswer, SearchRequest
from palimpsest.domain.vectors import Vector
from palimpsest.services.embed_records import RecordEmbedding
from palimpsest.services.project import ProjectService, entry_of

LIMIT = 10
PATIENCE_S = 20.0
TIMEOUT_S = 5.0
REQUEST_SECONDS = 60
"""Of one request, for raw and peers: the client's 10 are few where the machine has other work."""

BULK = 500
"""Documents of one raw request: what the client's own bulk helper, and so both peers, send."""


class PreparedEmbedder:
    """Knows the vectors of all questions; no passage is ever embedded."""

    def __init__(self, corpus: Corpus) -> None:
        self.fingerprint, self.dimension = corpus.fingerprint, corpus.dimension
        self._known = {one.text: one.vector for one in corpus.questions}

    def embed_query(self, text: str, *, timeout: float) -> Vector:  # noqa: ARG002
        return self._known[text]

    def embed_passages(self, texts: Sequence[str], *, timeout: float) -> Any:  # noqa: ARG002
        raise RuntimeError(f"{len(texts)} vectors were not held")


def generation(client: OpenSearch, prefix: str, corpus: Corpus) -> OpenSearchGenerations:
    """The generations of a prefix, the first one made for the corpus and read."""
    made = OpenSearchGenerations(client, Catalogue(client, prefix=prefix))
    first = made.create(1, fingerprint=corpus.fingerprint, dimension=corpus.dimension)
    made.read_from(first, old=None)
    return made


class Ours:
    """Search and projection as `bootstrap` puts them together, but for the table."""

    def __init__(self, url: str, prefix: str, corpus: Corpus) -> None:
        self.corpus, self.table = corpus, MemoryTable(corpus)
        self.client = make_client(Endpoint(url=url))
        generations = generation(self.client, prefix, corpus)
        self.reading: Generation = generations.kept()[0]
        self.executor = ThreadExecutor()
        embedder, table = PreparedEmbedder(corpus), self.table
        as_port: Any = table  # it has what these two services ask of their ports, and no more
        self.index = index = generations.reading(patience_s=PATIENCE_S)
        self.projection = ProjectService(
            store=as_port,
            ledger=as_port,
            index=index,
            embedding=RecordEmbedding(embedder, as_port),
            register=as_port,
            executor=self.executor,
            clock=SystemClock(),
        )
        self.service = make_search(
            SearchParts(
                store=as_port,
                ledger=as_port,
                index=index,
                embedders={embedder.fingerprint: embedder},
                executor=self.executor,
                clock=SystemClock(),
                waker=NoWaker(),
            )
        )

    def writing(self, rows: range) -> Callable[[], None]:
        """Commits these rows; what then carries them into the index and makes them visible."""
        self.table.put(rows.stop)

        def project() -> None:
            done = self.projection.project(TENANT, NAMESPACE)
            if done.embedded or done.revision != self.table.clock.revision:
                raise RuntimeError(f"not what was to be projected: {done}")

        return project

    def learn(self) -> None:
        """Ask every question once: how common its words are is known from then on, as it is to a
        process that has served for a while.
        """
        for asked in self.corpus.questions:
            self.search(asked)

    def search(self, asked: Asked) -> SearchAnswer:
        return self.service.search(
            SearchRequest(tenant=TENANT, namespaces=(NAMESPACE,), query=asked.text, limit=LIMIT)
        )


class Bare:
    """The client as its documentation makes it, with an index that is made as that of `ours`."""

    def __init__(self, url: str, prefix: str, ours: Ours) -> None:
        self.ours = ours
        self.client = OpenSearch(url, timeout=REQUEST_SECONDS)
        (self.twin,) = generation(self.client, prefix, ours.corpus).kept()

    def lines(self, rows: range) -> Iterator[bytes]:
        """Of each of these rows, what `ours` writes of it."""
        corpus, now = self.ours.corpus, datetime.now(UTC)
        self.ours.table.put(rows.stop)
        clock, records = self.ours.table.read("", "", corpus.ids[rows.start : rows.stop])
        for row, record in zip(rows, records.values(), strict=True):
            entry = entry_of(PARTITION, record, clock, corpus.vector(row))
            yield prepared(entry, dimension=corpus.dimension, weights=FieldWeights(), now=now).lines

    def drop_twin(self) -> None:
        self.client.indices.delete(index=self.twin.name)


class Raw(Bare):
    """Lines and bodies that are ready before the time is taken."""

    def writing(self, rows: range) -> Callable[[], None]:
        """What sends the lines of these rows, `BULK` in a request, and makes them visible."""
        lines = list(self.lines(rows))
        bodies = [b"".join(lines[start : start + BULK]) for start in range(0, len(lines), BULK)]
        alias = write_alias(self.twin.name)

        def write() -> None:
            for body in bodies:
                if self.client.bulk(body=body, index=alias)["errors"]:
                    raise RuntimeError("the bare client could not write everything")
            self.client.indices.refresh(index=self.twin.name)

        return write

    def asking(self, asked: Asked) -> Callable[[], Any]:
        """What sends both legs as our adapter would send them now, by what it knows of their words.
        Each call is as of another instant, as ours is: the engine keeps the sets of filters that
        come again.
        """
        reading = self.ours.reading
        legs = [
            LegQuery(
                leg=leg,
                partitions=(PARTITION,),
                depth=self.ours.service.depth,
                now=self.ours.service.clock.now(),
                text=asked.text,
                vector=asked.vector if leg is Leg.SEMANTIC else None,
                fingerprint=reading.fingerprint,
            )
            for leg in Leg
        ]
        request = self.ours.index._asker.request(reading, legs, timeout=ENGINE_SHARE * TIMEOUT_S)
        body = payload(request.bodies(), index=reading.name)
        return lambda: self.client.msearch(body=body)


class Helper(Bare):
    """Documents that the client makes the JSON of."""

    def writing(self, rows: range) -> Callable[[], None]:
        """What writes the documents of these rows, and makes them visible."""
        alias, actions = write_alias(self.twin.name), []
        for both in self.lines(rows):
            action, document = map(json.loads, both.splitlines())
            actions.append({"_op_type": "index", **action["index"], "_source": document})

        def write() -> None:
            helpers.bulk(self.client, actions, index=alias)
            self.client.indices.refresh(index=self.twin.name)

        return write
