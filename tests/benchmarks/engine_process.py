"""Starts the OpenSearch benchmark with the interpreter that has the peers, and takes its figures
over.

It is a process of its own so that what the peers load is part of no other benchmark.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.measuring import Figure
from opensearch import distribution

WITH_PEERS = Path(__file__).resolve().parents[2] / ".cache" / "tools" / "bench"
"""An environment that `make bench` has made; `.done` is in it once it is whole."""


@dataclass(frozen=True, slots=True)
class Told:
    """Its figures, what else is to be said in lines, and nDCG@10 by contender."""

    figures: list[Figure] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    ndcg: dict[str, float] = field(default_factory=dict)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What of its options the whole run takes."""
    parser.add_argument("--engine-records", default="10000,100000", help="sizes, of OpenSearch")
    parser.add_argument("--engine-rounds", type=int, default=200)
    parser.add_argument("--without-peers", action="store_true", help="OpenSearch alone")
    parser.add_argument("--without-quality", action="store_true", help="no nDCG")


def measure(asked: argparse.Namespace, folder: Path, *, say: Callable[[str], None]) -> Told:
    """All of it, or one line on why it is left out. Raises `CalledProcessError` if it fails."""
    lacking = distribution.missing()
    if lacking is not None:
        say(f"OpenSearch is left out: {lacking}")
        return Told()
    result = folder / "engine.json"
    python = WITH_PEERS / "bin" / "python" if (WITH_PEERS / ".done").exists() else sys.executable
    flags = [
        flag
        for flag, given in (
            ("--without-peers", asked.without_peers),
            ("--without-quality", asked.without_quality),
        )
        if given
    ]
    subprocess.run(
        [
            str(python), "-m", "benchmarks.engine_run",
            "--records", asked.engine_records, "--rounds", str(asked.engine_rounds),
            "--output", str(result), *flags,
        ],
        env=dict(os.environ),
        check=True,
    )  # fmt: skip
    told = json.loads(result.read_text(encoding="utf-8"))
    return Told([Figure(**one) for one in told["figures"]], told["lines"], told["ndcg@10"])
