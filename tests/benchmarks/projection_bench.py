"""Projection: `ProjectService.project` against the same work done barely: as many texts through the
embedder and as many entries into the index, in the same batches.

Our run notes its batches; the bare one then repeats them with twins: the same words in another
order, in a namespace of their own. What ours does beside it: reads the log, the records and the
held vectors, keeps the new vectors in the table, settles the ledger, advances.
"""

import uuid
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from benchmarks.measuring import Figure, interleaved, timed
from benchmarks.place import COMMIT, TENANT, Place
from benchmarks.sentences import Sentences, twin
from palimpsest.domain.embedding import Embedded
from palimpsest.domain.entries import Entry

BAR = 0.8
TIMEOUT = 30.0


class Noted:
    """An embedder or an index whose batches are noted, in the order of their calls."""

    def __init__(self, inner: Any, name: str, calls: list[tuple[str, Sequence[Any]]]) -> None:
        self._inner, self._name, self._calls = inner, name, calls

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._inner, name)
        return self._noting(found) if name == self._name else found

    def _noting(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def noted(batch: Sequence[Any], **options: Any) -> Any:
            self._calls.append((self._name, batch))
            return call(batch, **options)

        return noted


class ProjectionBench:
    """Rounds of `size` records, each in fresh namespaces."""

    def __init__(self, place: Place, size: int) -> None:
        self.place, self.size = place, size
        self.projection = place.services("projector").projection
        self.sentences = Sentences(seed=31)
        self.calls: list[tuple[str, Sequence[Any]]] = []

    def ours(self, _: int) -> Sequence[float]:
        """A projection of records that have just been committed."""
        name = f"projected-{uuid.uuid4().hex[:12]}"
        rows = [(f"r{n:05}", text) for n, text in enumerate(self.sentences.records(self.size))]
        for start in range(0, self.size, COMMIT):
            self.place.commit(name, dict(rows[start : start + COMMIT]))
        calls: list[tuple[str, Sequence[Any]]] = []
        it = self.projection
        embedder = Noted(it.embedding.embedder, "embed_passages", calls)
        noting = replace(
            it,
            index=Noted(it.index, "write", calls),
            embedding=replace(it.embedding, embedder=embedder),
        )
        took, done = timed(lambda: noting.project(TENANT, name))
        if done.embedded != self.size:
            raise RuntimeError(f"{done.embedded} of {self.size} texts were embedded")
        self.calls = calls
        return (took,)

    def bare(self, number: int) -> Sequence[float]:
        """The batches of the newest projection of ours, as twins."""
        if not self.calls:
            self.ours(number)
        partition = f"{TENANT}#bare-{uuid.uuid4().hex[:12]}"
        work = _twins(self.calls, partition)
        embedder, index = self.projection.embedding.embedder, self.projection.index

        def embedded_and_written() -> None:
            vectors: dict[str, Any] = {}
            for name, batch in work:
                if name == "write":
                    index.write(
                        [replace(e, vector=vectors[e.content.embedded_text]) for e in batch]
                    )
                    continue
                made = embedder.embed_passages(batch, timeout=TIMEOUT)
                found = [one.vector for one in made if isinstance(one, Embedded)]
                vectors.update(zip(batch, found, strict=True))

        took, _ = timed(embedded_and_written)
        return (took,)


def _twins(
    calls: Sequence[tuple[str, Sequence[Any]]], partition: str
) -> list[tuple[str, Sequence[Any]]]:
    written = {
        entry.content.embedded_text: _twin_of(entry, partition)
        for name, batch in calls
        if name == "write"
        for entry in batch
    }
    texts = {text: entry.content.embedded_text for text, entry in written.items() if entry.content}
    return [
        (name, [written[e.content.embedded_text] for e in batch])
        if name == "write"
        else (name, [texts[text] for text in batch])
        for name, batch in calls
    ]


def _twin_of(entry: Entry, partition: str) -> Entry:
    if entry.content is None:
        raise RuntimeError("a tombstone is not part of this")
    # another order in each run of the same batches, for the server remembers the newest passages
    text = f"{twin(entry.content.text)} {partition[-4:]}"
    return replace(entry, partition=partition, content=replace(entry.content, text=text))


def measure(place: Place, *, records: int, rounds: int) -> list[Figure]:
    """The ratio of throughputs over `records` records in so many rounds."""
    bench = ProjectionBench(place, max(COMMIT, records // rounds))
    (ours,), (bare,) = interleaved(rounds, bench.ours, bench.bare, warm_up=1)
    name = f"projection of {bench.size} records"
    return [Figure(name=name, ours=ours, bare=bare, bar=BAR, throughput=True)]
