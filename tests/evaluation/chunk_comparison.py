"""Which way of cutting documents finds what was asked for: a table of strategies.

`python -m evaluation.chunk_comparison FOLDER [--only WORD]`, the folder that holds `xquad` and
`cranfield`. Documents are made of these sets, cut, embedded by the built model (vectors are kept in
`build/vectors`), put into the embedded index and asked by both legs, fused as a search does.

A chunk *hits* a judged text if it has half of it, or is itself half within it. `reach` is the share
of the judged texts that the first `READ` tokens of an answer hold, whatever the chunks' size.
"""

import argparse
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import log2
from pathlib import Path

from benchmarks.engine_quality import EMBEDDING_SECONDS, MODEL, kept
from evaluation.chunk_strategies import Cutting, Headings, Strategy
from evaluation.judged_documents import JudgedDocuments, Stretch, articles, volumes
from evaluation.ranking import NOW, PARTITION, Ways, ranked
from palimpsest.adapters.onnx import OnnxEmbedder
from palimpsest.adapters.sqlite import SqliteIndex
from palimpsest.domain.embedding import Embedded
from palimpsest.domain.entries import Entry

READ = 1_600
DEPTH = 10
BATCH = 250
METHODS = ("weighted", "semantic", "lexical")

STRATEGIES = [
    Strategy(Cutting.WINDOWS, 320, 48),
    Strategy(Cutting.SENTENCES, 320, 48),
    *(Strategy(Cutting.STRUCTURE, 320, 48, headings) for headings in Headings),
    Strategy(Cutting.STRUCTURE, 320, 0, Headings.BEFORE),
    *(Strategy(Cutting.STRUCTURE, size, 48, Headings.BEFORE) for size in (160, 480)),
    *(Strategy(Cutting.SENTENCES, size, 48) for size in (160, 480)),
    *(Strategy(Cutting.WINDOWS, size, 48) for size in (160, 480)),
]
"""480 and not 512, which with a prefix is more than the model takes."""


@dataclass(frozen=True, slots=True)
class Located:
    """A chunk in the index: where it stands, and its tokens."""

    stretch: Stretch
    tokens: int


def compared(
    found: JudgedDocuments, strategy: Strategy, embedder: OnnxEmbedder
) -> dict[str, dict[str, float]]:
    """The measures of one strategy on one set, by method."""
    located, entries = _indexed(found, strategy, embedder)

    def queries(texts: Sequence[str]) -> Iterable[Sequence[float]]:
        return [embedder.embed_query(text, timeout=EMBEDDING_SECONDS) for text in texts]

    texts = [question.text for question in found.questions]
    vectors = kept(queries, texts, embedder.fingerprint).tolist()
    rows: dict[str, list[dict[str, float]]] = {method: [] for method in METHODS}
    with tempfile.TemporaryDirectory() as folder:
        index = SqliteIndex(Path(folder), fingerprint=embedder.fingerprint)
        for start in range(0, len(entries), BATCH):
            index.write(entries[start : start + BATCH])
        for question, vector in zip(found.questions, vectors, strict=True):
            ways = Ways(question, [question.text], [vector])
            told = ranked(index, ways, fingerprint=embedder.fingerprint).by_method
            wanted = [found.stretches[name] for name in question.relevant]
            for method in METHODS:
                rows[method].append(measures([located[i] for i in told[method]], wanted))
        index.close()
    return {method: _means(several) for method, several in rows.items()}


def _indexed(
    found: JudgedDocuments, strategy: Strategy, embedder: OnnxEmbedder
) -> tuple[dict[str, Located], list[Entry]]:
    chunks = [
        (f"d{number:03}-{chunk.ordinal:04}", number, chunk)
        for number, blocks in enumerate(found.documents)
        for chunk in strategy.chunks(blocks, embedder)
    ]

    def passages(texts: Sequence[str]) -> Iterable[Sequence[float]]:
        made = embedder.embed_passages(texts, timeout=EMBEDDING_SECONDS)
        return [one.vector for one in made if isinstance(one, Embedded)]

    texts = [strategy.embedded(chunk) for _, _, chunk in chunks]
    vectors = kept(passages, texts, embedder.fingerprint).tolist()
    tokens = embedder.count_tokens([chunk.text for _, _, chunk in chunks])
    located = {
        name: Located(Stretch(number, chunk.start, chunk.end), count)
        for (name, number, chunk), count in zip(chunks, tokens, strict=True)
    }
    entries = [
        Entry(partition=PARTITION, id=name, revision=1, version=3, created_at=NOW, updated_at=NOW,
              content=strategy.content(chunk), vector=tuple(vector))
        for (name, _, chunk), vector in zip(chunks, vectors, strict=True)
    ]  # fmt: skip
    return located, entries


def measures(ranking: Sequence[Located], wanted: Sequence[Stretch]) -> dict[str, float]:
    """Of one question. A judged text gains once, by the first chunk that hits it."""
    first: dict[Stretch, int] = {}
    for rank, one in enumerate(ranking[:DEPTH], 1):
        for text in wanted:
            if hits(one.stretch, text):
                first.setdefault(text, rank)
    best = min(first.values(), default=0)
    ideal = sum(1 / log2(rank + 1) for rank in range(1, min(len(wanted), DEPTH) + 1))
    return {
        "top1": float(best == 1),
        "top5": float(0 < best <= 5),
        "mrr@10": 1 / best if best else 0.0,
        "ndcg@10": min(1.0, sum(1 / log2(rank + 1) for rank in first.values()) / ideal),
        "reach": reach(ranking, wanted),
    }


def hits(chunk: Stretch, text: Stretch) -> bool:
    """Whether a chunk has half of a judged text or is half within it."""
    shared = _shared(chunk, text)
    return 2 * shared >= min(text.end - text.start, chunk.end - chunk.start)


def reach(ranking: Sequence[Located], wanted: Sequence[Stretch]) -> float:
    """The share of the judged texts among the first `READ` tokens; a chunk that is over is read as
    far as they go.
    """
    read: list[Stretch] = []
    left = READ
    for one in ranking:
        if left <= 0:
            break
        length = one.stretch.end - one.stretch.start
        part = min(1.0, left / max(1, one.tokens))
        read.append(one.stretch._replace(end=one.stretch.start + round(length * part)))
        left -= one.tokens
    return statistics.fmean(_covered(read, text) for text in wanted)


def _covered(read: Iterable[Stretch], text: Stretch) -> float:
    places = {
        place
        for one in read
        if one.document == text.document
        for place in range(max(one.start, text.start), min(one.end, text.end))
    }
    return len(places) / (text.end - text.start)


def _shared(one: Stretch, other: Stretch) -> int:
    if one.document != other.document:
        return 0
    return max(0, min(one.end, other.end) - max(one.start, other.start))


def _means(several: Sequence[dict[str, float]]) -> dict[str, float]:
    return {name: statistics.fmean(row[name] for row in several) for name in several[0]}


def _table(sets: Sequence[JudgedDocuments], only: str, embedder: OnnxEmbedder) -> Iterator[str]:
    yield "| strategy | set | method | top-1 | top-5 | MRR@10 | nDCG@10 | reach |"
    yield "|---" * 8 + "|"
    for strategy in STRATEGIES:
        if only not in strategy.name:
            continue
        for found in sets:
            began = time.monotonic()
            for method, told in compared(found, strategy, embedder).items():
                cells = " | ".join(f"{value:.3f}".removeprefix("0") for value in told.values())
                yield f"| {strategy.name} | {found.name} | {method} | {cells} |"
            sys.stderr.write(f"{strategy.name}, {found.name}: {time.monotonic() - began:.0f} s\n")


def main() -> int:
    """Print the table, a row as soon as it is known."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="", help="strategies whose name has this in it")
    asked = parser.parse_args()
    embedder = OnnxEmbedder(MODEL, threads=os.cpu_count() or 1)
    sets = [
        articles(asked.folder / "xquad/en", titled=True),
        articles(asked.folder / "xquad/zh", titled=False),
        volumes(asked.folder / "cranfield"),
    ]
    for line in _table(sets, asked.only, embedder):
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
