"""Whether both engines answer alike: nDCG@10 of every set by leg and fused, on the embedded index
and on a real OpenSearch node, with the very same vectors. Exit code 1 where a set differs by more
than `APART`.

`python -m evaluation.engines FOLDER…`, each with `corpus.jsonl`, `queries.jsonl`, `qrels.tsv`.
"""

import os
import statistics
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.engine_node import opened
from benchmarks.engine_quality import EMBEDDING_SECONDS, MODEL, kept
from contract.opensearch_index import generations
from evaluation.measures import ndcg
from evaluation.sets import EvaluationSet, read, superseded
from palimpsest.adapters.onnx import OnnxEmbedder
from palimpsest.adapters.sqlite import SqliteIndex
from palimpsest.domain.embedding import Embedded
from palimpsest.domain.entries import Entry, Leg, LegQuery
from palimpsest.domain.fusion import Fusion, fuse
from palimpsest.domain.records import Content
from palimpsest.ports import SearchIndex

APART = 0.01
BATCH, DEPTH = 500, 100
NOW = datetime.now(UTC)
MODES = ("lexical", "semantic", "hybrid")


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def contents_of(found: EvaluationSet, folder: Path) -> dict[str, Content]:
    """The records that are active, by id."""
    gone = {old for old, _ in superseded(folder)}
    return {name: _content(fields) for name, fields in found.records if name not in gone}


def _content(fields: dict[str, Any]) -> Content:
    lists = {name: tuple(value) for name, value in fields.items() if isinstance(value, list)}
    return Content(**{**fields, **lists})


@contextmanager
def indexes(fingerprint: str, dimension: int, url: str) -> Iterator[dict[str, SearchIndex]]:
    """An empty index of each engine."""
    with tempfile.TemporaryDirectory() as folder:
        embedded = SqliteIndex(Path(folder), fingerprint=fingerprint)
        prefix = f"eval-{os.getpid()}"
        made = generations(url, prefix, fingerprint=fingerprint, dimension=dimension)
        try:
            yield {"embedded": embedded, "opensearch": made.reading(patience_s=60)}
        finally:
            made.client.indices.delete(index=f"{prefix}-v*")
            embedded.close()


def measured(
    index: SearchIndex, found: EvaluationSet, asked: Sequence[Sequence[float]], fingerprint: str
) -> dict[str, float]:
    """The mean nDCG@10 by mode."""
    scores: dict[str, list[float]] = {mode: [] for mode in MODES}
    for question, vector in zip(found.questions, asked, strict=True):
        common: dict[str, Any] = {"partitions": ("t#n",), "depth": DEPTH, "now": NOW}
        near: dict[str, Any] = {"vector": tuple(vector), "fingerprint": fingerprint}
        legs = index.search(
            [
                LegQuery(leg=Leg.LEXICAL, text=question.text, **common),
                LegQuery(leg=Leg.SEMANTIC, **near, **common),
            ],
            timeout=30,
        )
        rankings = {leg.leg.value: [one.id for one in leg.candidates] for leg in legs}
        fused = fuse({leg.leg: leg.candidates for leg in legs}, Fusion())
        rankings["hybrid"] = [hit.id for hit in fused]
        for mode in MODES:
            scores[mode].append(ndcg(rankings[mode], question.relevant))
    return {mode: statistics.fmean(values) for mode, values in scores.items()}


def compared(folder: Path, url: str, embedder: OnnxEmbedder) -> dict[str, dict[str, float]]:
    """By engine, the measures of one set."""
    found = read(folder)
    records = contents_of(found, folder)

    def passages(texts: Sequence[str]) -> Iterable[Sequence[float]]:
        made = embedder.embed_passages(texts, timeout=EMBEDDING_SECONDS)
        return [one.vector for one in made if isinstance(one, Embedded)]

    def queries(texts: Sequence[str]) -> Iterable[Sequence[float]]:
        return [embedder.embed_query(text, timeout=EMBEDDING_SECONDS) for text in texts]

    texts = [content.embedded_text for content in records.values()]
    vectors = kept(passages, texts, embedder.fingerprint).tolist()
    asked = kept(queries, [one.text for one in found.questions], embedder.fingerprint).tolist()
    entries = [
        Entry(partition="t#n", id=record_id, revision=1, version=3, content=content,
              created_at=NOW, updated_at=NOW, vector=tuple(vector))
        for (record_id, content), vector in zip(records.items(), vectors, strict=True)
    ]  # fmt: skip
    told = {}
    with indexes(embedder.fingerprint, embedder.dimension, url) as both:
        for name, index in both.items():
            for start in range(0, len(entries), BATCH):
                index.write(entries[start : start + BATCH])
            told[name] = measured(index, found, asked, embedder.fingerprint)
    return told


def main() -> int:
    """One line a set and mode: embedded, OpenSearch, difference."""
    embedder = OnnxEmbedder(MODEL, threads=os.cpu_count() or 1)
    worst = 0.0
    with tempfile.TemporaryDirectory() as folder, opened(Path(folder), say=say) as url:
        for name in sys.argv[1:]:
            told = compared(Path(name), url, embedder)
            for mode in MODES:
                ours, theirs = told["embedded"][mode], told["opensearch"][mode]
                worst = max(worst, abs(ours - theirs))
                say(f"{name} {mode}: {ours:.4f} {theirs:.4f} {theirs - ours:+.4f}")
    say(f"at most {worst:.4f} apart, {APART} allowed")
    return int(worst > APART)


if __name__ == "__main__":
    sys.exit(main())
