"""Every benchmark in one run: `make bench`, or `python -m benchmarks.run --only search,commits`.

Prints one table and writes `build/bench.json`. A ratio beyond its bar is marked `over`; only
`--strict` makes that exit code 1. `docs/benchmarks.md` tells what the figures mean.
"""

import argparse
import json
import os
import platform
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks import (
    commit_bench,
    document_report,
    documents_bench,
    engine_process,
    growth_bench,
    index_bench,
    place,
    projection_bench,
    reconcile_bench,
    search_bench,
    start_bench,
)
from benchmarks.document_samples import SAMPLES
from benchmarks.measuring import Figure, table

RESULT = Path(__file__).resolve().parents[2] / "build" / "bench.json"
START, SEARCH, GROWTH, COMMITS, PROJECTION, RECONCILE, DOCUMENTS, OPENSEARCH, INDEX = NAMES = (
    "start", "search", "growth", "commits", "projection", "reconcile", "documents", "opensearch",
    "index",
)  # fmt: skip
ON_A_TABLE = {SEARCH, GROWTH, COMMITS, PROJECTION, RECONCILE, DOCUMENTS}
PROJECTION_ROUNDS = 4


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", type=_chosen, default=NAMES, help="of " + ",".join(NAMES))
    parser.add_argument("--records", type=int, default=10_000, help="in the large namespace")
    parser.add_argument("--projected", type=int, default=1_000, help="records projected in all")
    parser.add_argument("--reconciled", default="1000,16384", help="records of reconciles")
    parser.add_argument("--documents", type=int, default=5, help="rounds of each format")
    parser.add_argument("--formats", type=_formats, default=tuple(SAMPLES), help="of documents")
    parser.add_argument("--rounds", type=int, default=100, help="of each search and commit")
    parser.add_argument("--starts", type=int, default=7, help="fresh processes of each function")
    engine_process.add_arguments(parser)
    parser.add_argument("--port", type=int, default=4596, help="and the one after it")
    parser.add_argument("--embedder", choices=("openai", "simulated"), default="openai")
    parser.add_argument("--output", type=Path, default=RESULT)
    parser.add_argument("--strict", action="store_true", help="exit code 1 beyond a bar")
    return parser.parse_args()


def _chosen(text: str, names: Sequence[str] = NAMES) -> tuple[str, ...]:
    chosen = tuple(text.split(","))
    if not set(chosen) <= set(names):
        raise argparse.ArgumentTypeError(f"of {', '.join(names)}")
    return chosen


def _formats(text: str) -> tuple[str, ...]:
    return _chosen(text, tuple(SAMPLES))


@dataclass(slots=True)
class Measured:
    """All figures, what each function loads, a line about each reconcile, and what the ingestion of
    each format is made of.
    """

    figures: list[Figure] = field(default_factory=list)
    loads: dict[str, Any] = field(default_factory=dict)
    reconciles: list[str] = field(default_factory=list)
    documents: list[dict[str, Any]] = field(default_factory=list)


def measured(asked: argparse.Namespace, folder: Path) -> Measured:
    """The chosen benchmarks but OpenSearch's."""
    told = Measured()
    if START in asked.only:
        say("starts of every function")
        told.figures, told.loads = start_bench.measure(folder / "index", rounds=asked.starts)
    if ON_A_TABLE & set(asked.only):
        with place.opened(folder, port=asked.port, embedder=asked.embedder) as here:
            _on_a_table(asked, here, told)
    return told


def _on_a_table(asked: argparse.Namespace, here: place.Place, told: Measured) -> None:
    only, figures = asked.only, told.figures
    if SEARCH in only:
        say(f"search of {asked.records:,} records")
        figures += search_bench.measure(here, records=asked.records, rounds=asked.rounds)
    if GROWTH in only:
        say("growth")
        figures += growth_bench.measure(here, records=asked.records, rounds=asked.rounds // 2)
    if COMMITS in only:
        say("commits")
        figures += commit_bench.measure(here, rounds=asked.rounds)
    if PROJECTION in only:
        say(f"projection of {asked.projected:,} records")
        figures += projection_bench.measure(here, records=asked.projected, rounds=PROJECTION_ROUNDS)
    if RECONCILE in only:
        say("reconcile")
        sizes = [int(size) for size in asked.reconciled.split(",")]
        ratios, told.reconciles = reconcile_bench.measure(here, sizes=sizes)
        figures += ratios
    if DOCUMENTS in only:
        say("documents")
        ratios, told.documents = documents_bench.measure(
            here, formats=asked.formats, rounds=asked.documents
        )
        figures += ratios


def main() -> int:
    asked = arguments()
    began, load = time.monotonic(), os.getloadavg()[0]
    with tempfile.TemporaryDirectory(prefix="palimpsest-bench-") as folder:
        found = measured(asked, Path(folder).resolve())
        engine = engine_process.Told()
        if OPENSEARCH in asked.only:
            engine = engine_process.measure(asked, Path(folder).resolve(), say=say)
            found.figures += engine.figures
    if found.figures:
        say("")
        say("\n".join(table(found.figures)))
    for line in [*found.reconciles, *document_report.lines(found.documents), *engine.lines]:
        say(line)
    if engine.ndcg:
        say("nDCG@10: " + ", ".join(f"{name} {mean:.3f}" for name, mean in engine.ndcg.items()))
    for name, what in found.loads.items():
        heavy = ", ".join(f"{package} {ms:.0f}" for package, ms in what["heaviest_ms"])
        say(f"{name}: {what['modules']} modules ({what['bare_modules']} bare); ms of {heavy}")
    machine = {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "processors": os.cpu_count(),
        "load_before": round(load, 1),
        "load_after": round(os.getloadavg()[0], 1),
        "python": platform.python_version(),
        "embedder": asked.embedder,
        "seconds": round(time.monotonic() - began),
    }
    say(", ".join(f"{name} {value}" for name, value in machine.items()))
    if INDEX in asked.only:
        say("")
        say(f"the embedded index alone, {asked.records:,} records, milliseconds")
        index_bench.main(asked.records)
    asked.output.parent.mkdir(exist_ok=True)
    told = {
        "machine": machine,
        "figures": [one.told() for one in found.figures],
        "loads": found.loads,
        "reconcile": found.reconciles,
        "documents": found.documents,
        "opensearch": {"lines": engine.lines, "ndcg@10": engine.ndcg},
    }
    asked.output.write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")
    return int(asked.strict and not all(one.ok for one in found.figures))


if __name__ == "__main__":
    sys.exit(main())
