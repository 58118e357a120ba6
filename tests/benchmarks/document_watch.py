"""Where the time of an ingestion goes: its services with every port timed, and what was handed to
the embedder, the table and the index, so that it can be done again barely.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from benchmarks.measuring import timed
from benchmarks.projection_bench import Noted
from palimpsest.bootstrap.ingest import IngestServices
from palimpsest.domain.commits import CommitPlan
from palimpsest.domain.entries import Entry

READING, COUNTING, EMBEDDING, BUCKET, TABLE, INDEX = (
    "reading", "tokens", "embedding", "bucket", "table", "index",
)  # fmt: skip
PARTS = (READING, COUNTING, EMBEDDING, BUCKET, TABLE, INDEX)
"""Of an ingestion, none of them within another. What is left is our own code in this process."""


@dataclass(slots=True)
class Journal:
    """Of one ingestion: milliseconds by part, and the calls that wrote or embedded something."""

    spent: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    calls: list[tuple[str, Sequence[Any]]] = field(default_factory=list)
    written: list[tuple[str, Sequence[Any]]] = field(default_factory=list)

    @property
    def texts(self) -> list[Sequence[str]]:
        """The embedder's batches."""
        return [given[0] for name, given in self.calls if name == "embed_passages"]

    @property
    def plans(self) -> list[CommitPlan]:
        """The commits to the table."""
        return [given[0] for name, given in self.calls if name == "commit"]

    @property
    def entries(self) -> list[Sequence[Entry]]:
        """The index's batches."""
        return [batch for _, batch in self.written]


class Timed:
    """A port whose calls are timed and noted in the journal, unless they fail."""

    def __init__(self, inner: Any, part: str, journal: Journal) -> None:
        self._inner, self._part, self._journal = inner, part, journal

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._inner, name)
        if not callable(found):
            return found

        def called(*given: Any, **named: Any) -> Any:
            took, result = timed(lambda: found(*given, **named))
            self._journal.calls.append((name, given))
            self._journal.spent[self._part] += took
            return result

        return called


def watched(services: IngestServices, journal: Journal, *, embedder: Any = None) -> IngestServices:
    """The services with every port timed; with another `embedder` if one is given."""

    def by(part: str, port: Any) -> Any:
        return Timed(port, part, journal)

    it = services.ingesting
    uploads, objects = by(BUCKET, it.uploads), by(BUCKET, it.reading.objects)
    documents, store = by(TABLE, it.documents), by(TABLE, it.writing.store)
    attempts = replace(it.attempts, documents=documents)
    reading = replace(
        it.reading,
        uploads=uploads,
        reader=by(READING, it.reading.reader),
        tokens=by(COUNTING, it.reading.tokens),
        objects=objects,
    )
    model = by(EMBEDDING, embedder or it.writing.embedding.embedder)
    writing = replace(
        it.writing,
        store=store,
        documents=documents,
        attempts=attempts,
        objects=objects,
        held=by(TABLE, it.writing.held),
        embedding=replace(it.writing.embedding, embedder=model),
    )
    projection: Any = it.settling.projection
    noting = replace(projection, index=Noted(projection.index, "write", journal.written))
    settling = replace(
        it.settling,
        store=store,
        attempts=attempts,
        projection=by(INDEX, noting),
        objects=objects,
    )
    ingesting = replace(
        it,
        documents=documents,
        uploads=uploads,
        attempts=attempts,
        reading=reading,
        writing=writing,
        settling=settling,
    )
    return replace(services, ingesting=ingesting)
