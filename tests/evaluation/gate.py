"""`make eval`: every set on both engines by every method; a table and a picture; and a gate.

`python -m evaluation.gate FOLDER…`, each with `corpus.jsonl`, `queries.jsonl`, `qrels.tsv`. Exit
code 1 where the default (hybrid, `weighted`) loses more than `LOSS` of nDCG@10 against the figures
in `committed.json`, or where the engines are more than `APART` from each other. `--write` puts
table and picture into `docs/`, `--commit` the figures into `committed.json`.
"""

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from benchmarks.engine_node import opened
from contract.opensearch_index import generations
from evaluation import report
from evaluation.corpus import Loaded, load
from evaluation.ranking import measured, ranked, timed
from opensearch import distribution
from palimpsest.adapters.onnx import OnnxEmbedder
from palimpsest.adapters.sqlite import SqliteIndex
from palimpsest.ports import SearchIndex

ROOT = Path(__file__).resolve().parents[2]
MODEL = ROOT / ".cache/models/multilingual-e5-small"
COMMITTED = Path(__file__).with_name("committed.json")
LOSS, APART = 0.01, 0.01
DEFAULT = "weighted"
BATCH = 250
EMBEDDED, OPENSEARCH = "embedded", "opensearch"

Figures = dict[str, dict[str, Any]]


def say(line: str) -> None:
    """A line of progress."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


@contextmanager
def indexes(embedder: OnnxEmbedder, url: str | None) -> Iterator[dict[str, SearchIndex]]:
    """An empty index of each engine."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        embedded = SqliteIndex(folder, fingerprint=embedder.fingerprint)
        stack.callback(embedded.close)
        found: dict[str, SearchIndex] = {EMBEDDED: embedded}
        if url is not None:
            prefix = f"eval-{os.getpid()}"
            made = generations(
                url, prefix, fingerprint=embedder.fingerprint, dimension=embedder.dimension
            )
            stack.callback(lambda: made.client.indices.delete(index=f"{prefix}-v*"))
            found[OPENSEARCH] = made.reading(patience_s=60)
        yield found


def evaluated(loaded: Loaded, index: SearchIndex, fingerprint: str) -> dict[str, Any]:
    """The measures of one set on one index, and the milliseconds of a question, by method."""
    for start in range(0, len(loaded.entries), BATCH):
        index.write(loaded.entries[start : start + BATCH])
    several = [ranked(index, ways, fingerprint=fingerprint) for ways in loaded.questions]
    ms = timed(index, loaded.questions, fingerprint=fingerprint)
    return {"methods": measured(several), "ms": ms, "questions": len(several)}


def measured_sets(folders: list[Path], embedder: OnnxEmbedder, url: str | None) -> Figures:
    """By set and engine."""
    figures: Figures = {}
    for folder in folders:
        loaded = load(folder, embedder)
        with indexes(embedder, url) as both:
            figures[loaded.name] = {
                name: evaluated(loaded, index, embedder.fingerprint) for name, index in both.items()
            }
        for engine, told in figures[loaded.name].items():
            say(f"{loaded.name}, {engine}: {_line(told['methods'])}")
    return figures


def _line(methods: Mapping[str, Mapping[str, float]]) -> str:
    return ", ".join(f"{name} {told['ndcg@10']:.4f}" for name, told in methods.items())


def losses(figures: Figures, committed: Figures) -> list[str]:
    """What is worse than it may be, a sentence each."""
    told = []
    for name, engines in figures.items():
        for engine, found in engines.items():
            ours = found["methods"][DEFAULT]["ndcg@10"]
            known = committed.get(name, {}).get(engine)
            if known is not None and ours < known - LOSS:
                told.append(f"{name}, {engine}: {DEFAULT} {ours:.4f}, committed {known:.4f}")
        if len(engines) > 1:
            told += _apart(name, engines)
    return told


def _apart(name: str, engines: Mapping[str, Any]) -> Iterator[str]:
    ours, theirs = engines[EMBEDDED]["methods"], engines[OPENSEARCH]["methods"]
    for method in ("lexical", "semantic", DEFAULT):
        one, other = ours[method]["ndcg@10"], theirs[method]["ndcg@10"]
        if abs(one - other) > APART:
            yield f"{name}, {method}: the engines differ, {one:.4f} and {other:.4f}"


def main() -> int:
    """Measure, report, compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--commit", action="store_true")
    parser.add_argument("--embedded-only", action="store_true")
    asked = parser.parse_args()
    embedder = OnnxEmbedder(MODEL, threads=os.cpu_count() or 1)
    without = "asked for" if asked.embedded_only else distribution.missing()
    with ExitStack() as stack:
        url = None
        if without is None:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            url = stack.enter_context(opened(folder, say=say))
        else:
            say(f"without OpenSearch: {without}")
        figures = measured_sets(asked.folders, embedder, url)
    if asked.write:
        report.write(figures, model=embedder.fingerprint)
    if asked.commit:
        told = {
            name: {engine: found["methods"][DEFAULT]["ndcg@10"] for engine, found in both.items()}
            for name, both in figures.items()
        }
        COMMITTED.write_text(json.dumps(told, indent=1, sort_keys=True) + "\n")
    worse = losses(figures, json.loads(COMMITTED.read_text()) if COMMITTED.exists() else {})
    for sentence in worse:
        say(sentence)
    return int(bool(worse))


if __name__ == "__main__":
    sys.exit(main())
