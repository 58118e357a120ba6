"""Documents: from the message to `ready` through the real ingest handler, against the bare parser
of the format and the bare embedder.

Each round is another file in a namespace of its own. Ours notes the batches that it embeds; bare
parses the bytes of the newest file of ours and embeds those batches, of texts with the same words
in another order, since the server remembers the newest passages.
"""

import compileall
import importlib
import itertools
import json
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from typing import Any

import boto3

import template_buckets
from benchmarks.document_parsers import PARSERS
from benchmarks.document_report import Ingested, chunks_of, told_of
from benchmarks.document_samples import SAMPLES
from benchmarks.document_watch import EMBEDDING, Journal, watched
from benchmarks.measuring import Figure, interleaved, timed
from benchmarks.place import TENANT, MadeVectors, Place
from benchmarks.sentences import Sentences
from http_event import Context
from palimpsest.adapters.dynamodb.transaction import commit_writes
from palimpsest.bootstrap.ingest import IngestServices, ingest_services
from palimpsest.domain.documents import Document, DocumentState, document_id
from palimpsest.domain.upload_keys import UploadPlace

BAR = 0.8
TABLE = "RecordsTable"
TIMEOUT = 600.0
WITHOUT_MODEL = 2
"""Times the rounds, of what takes little time."""

CHILD_LOADS = ("palimpsest", "ijson", "pypdfium2", "pypdfium2_raw", "selectolax")
_SEEDS = itertools.count(50_000)


@dataclass(slots=True)
class DocumentsBench:
    """Files of one format. `vectors`: stands in for the model."""

    place: Place
    kind: str
    handler: Any
    services: IngestServices
    vectors: MadeVectors | None = None
    done: list[Ingested] = field(default_factory=list)
    turns: int = 0

    def ours(self, _: int) -> Sequence[float]:
        """A file that lies in the bucket, from its event to the document that is ready; and of that
        the embedding.
        """
        sample = SAMPLES[self.kind](Sentences(seed=next(_SEEDS)))
        place = UploadPlace(TENANT, f"documents-{uuid.uuid4().hex[:12]}", sample.name)
        bucket = self.services.settings.uploads_bucket
        boto3.client("s3").put_object(Bucket=bucket, Key=place.key, Body=sample.data)
        body = json.dumps({"detail": {"object": {"key": place.key}}})
        asked = {"Records": [{"messageId": "m", "body": body}]}
        journal = Journal()
        timing = watched(self.services, journal, embedder=self.vectors)
        self.handler.services = lambda: timing
        took, told = timed(lambda: self.handler.handler(asked, Context()))
        document = self._ready(place, told, embedded=sum(map(len, journal.texts)))
        self.done.append(Ingested(sample, document, journal, took))
        return took, journal.spent[EMBEDDING]

    def bare(self, number: int) -> Sequence[float]:
        """The newest file of ours: its parser, the embedder of its texts, and its writes."""
        if not self.done:
            self.ours(number)
        newest = self.done[-1]
        self.turns += 1
        batches = [[_turned(text, self.turns) for text in one] for one in newest.journal.texts]
        embedder = self.vectors or self.services.ingesting.writing.embedding.embedder

        def embedded() -> None:
            for batch in batches:
                embedder.embed_passages(batch, timeout=TIMEOUT)

        parsing, found = timed(lambda: PARSERS[self.kind](newest.sample.data))
        if not found:
            raise RuntimeError("the bare parser found nothing")
        embedding, _ = timed(embedded)
        return parsing, embedding, self._written(newest.journal)

    def _written(self, journal: Journal) -> float:
        """Milliseconds of putting the same items and entries into table and index, unconditionally
        and in another namespace.
        """
        namespace = f"bare-{uuid.uuid4().hex[:12]}"
        plans = [replace(plan, namespace=namespace) for plan in journal.plans]
        puts = [_puts(commit_writes(plan, table=TABLE)) for plan in plans]
        partition = f"{TENANT}#{namespace}"
        entries = [[replace(e, partition=partition) for e in batch] for batch in journal.entries]
        client, index = boto3.client("dynamodb"), self.place.services("projector").reading.index

        def written() -> None:
            for items in puts:
                client.transact_write_items(TransactItems=items)
            for batch in entries:
                index.write(batch, visible=False)
            index.refresh()

        return timed(written)[0]

    def _ready(self, place: UploadPlace, told: dict[str, Any], *, embedded: int) -> Document:
        """The document, which must be ready with each of its chunks embedded."""
        documents = self.services.ingesting.documents
        its_id = document_id(place.path)
        document = documents.read(TENANT, place.namespace, [its_id])[1].get(its_id)
        if (
            document is None
            or document.state != DocumentState.READY
            or chunks_of(document) != embedded
        ):
            raise RuntimeError(f"not the ingestion to be measured: {told}, {document}")
        return document


def _turned(text: str, by: int) -> str:
    """The same words, and as many tokens, in another order for each `by`."""
    words = text.split()
    at = (len(words) // 2 + by) % max(1, len(words))
    return " ".join(words[at:] + words[:at])


def _puts(writes: Sequence[dict[str, Any]]) -> list[Any]:
    """The items that a transaction puts, without its conditions."""
    puts = [one["Put"] for one in writes if "Put" in one]
    return [{"Put": {"TableName": put["TableName"], "Item": put["Item"]}} for put in puts]


def measure(
    place: Place, *, formats: Sequence[str], rounds: int
) -> tuple[list[Figure], list[dict[str, Any]]]:
    """The ratio of throughputs of each format, and what each ingestion is made of."""
    _compiled()
    handler: Any = importlib.import_module("ingest.handler")
    bucket = template_buckets.create_bucket(boto3.client("s3"), "UploadsBucket")
    settings = replace(
        place.services("projector").settings, uploads_bucket=bucket, ingest_queue_url="none"
    )
    services = ingest_services(settings)
    made = MadeVectors(services.ingesting.writing.embedding.embedder)
    figures, told = list[Figure](), list[dict[str, Any]]()
    for kind in formats:
        if place.embedder_name != "simulated":
            bench = DocumentsBench(place, kind, handler, services)
            figures += _with_model(bench, rounds)
            told.append({"format": kind, "model": True, **told_of(bench.done[-rounds:])})
        more = WITHOUT_MODEL * rounds
        bench = DocumentsBench(place, kind, handler, services, vectors=made)
        figures.append(_without_model(bench, more))
        told.append({"format": kind, "model": False, **told_of(bench.done[-more:])})
    return figures, told


def _with_model(bench: DocumentsBench, rounds: int) -> list[Figure]:
    """Against parser and embedder; and against the parser and the embedding that is in ours, which
    shows what we add where an embedding takes a different time at every turn.
    """
    (ours, within), (parsing, embedding, _) = interleaved(rounds, bench.ours, bench.bare, warm_up=1)
    bare, same = _sums(parsing, embedding), _sums(parsing, within)
    name = f"document, {bench.kind}"
    return [
        Figure(name=name, ours=ours, bare=bare, bar=BAR, throughput=True),
        Figure(
            name=f"… / parser, own embedding, {bench.kind}", ours=ours, bare=same, throughput=True
        ),
    ]


def _without_model(bench: DocumentsBench, rounds: int) -> Figure:
    (ours, _), (parsing, embedding, writing) = interleaved(
        rounds, bench.ours, bench.bare, warm_up=1
    )
    bare = _sums(parsing, embedding, writing)
    name = f"… no model / parser and writes, {bench.kind}"
    return Figure(name=name, ours=ours, bare=bare, throughput=True)


def _sums(*columns: Sequence[float]) -> list[float]:
    return [sum(row) for row in zip(*columns, strict=True)]


def _compiled() -> None:
    """Bytecode of what the process that reads a file loads, as a layer has it: it writes none."""
    for name in CHILD_LOADS:
        found = find_spec(name)
        for folder in found.submodule_search_locations or () if found else ():
            compileall.compile_dir(folder, quiet=2)
