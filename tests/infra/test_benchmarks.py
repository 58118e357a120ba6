"""The benchmarks run, at a size that measures nothing: no test here looks at a time."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from stack import ROOT, free_ports

JAVA = ("JAVA_HOME", "OPENSEARCH_JAVA_HOME", "OPENSEARCH_HEAP")


def told_by(folder: Path, *options: str, **settings: str) -> dict[str, Any]:
    """What a run writes; figures of one name only once."""
    output = folder / "bench.json"
    done = subprocess.run(
        [
            sys.executable, "-m", "benchmarks.run", "--embedder", "simulated",
            "--output", str(output), *options,
        ],
        env={
            "PATH": os.environ["PATH"],
            "PYTHONPATH": os.pathsep.join(str(ROOT / f) for f in ("functions", "infra", "tests")),
            "TMPDIR": str(folder),
            **settings,
        },
        capture_output=True,
        text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    told: dict[str, Any] = json.loads(output.read_text())
    names = [figure["name"] for figure in told["figures"]]
    assert len(names) == len(set(names))
    return {**told, "said": done.stdout}


@pytest.mark.stack
def test_every_benchmark_of_the_table_runs_and_tells_its_figures(tmp_path: Path) -> None:
    sizes = ["--records", "200", "--rounds", "2", "--projected", "100", "--reconciled", "40"]
    only = ["--only", "search,growth,commits,projection,reconcile", "--port", str(free_ports())]
    told = told_by(tmp_path, *sizes, *only)
    assert [line.split(", ")[1] for line in told["reconcile"]] == [
        "all new: 40 texts embedded",
        "none changed: 0 texts embedded",
        "16 changed: 16 texts embedded",
        "all changed: 40 texts embedded",
    ]
    assert {figure["bar"] for figure in told["figures"]} == {None, 0.8, 1.2, 1.3}


@pytest.mark.opensearch
def test_the_benchmark_of_opensearch_runs_without_its_peers(tmp_path: Path) -> None:
    sizes = ["--engine-records", "200,240", "--engine-rounds", "3"]
    alone = ["--without-peers", "--without-quality"]
    java = {name: os.environ[name] for name in JAVA if name in os.environ}
    told = told_by(tmp_path, "--only", "opensearch", *sizes, *alone, **java)
    figures = {figure["name"]: figure for figure in told["figures"]}
    for size in (200, 240):
        own = f"{size} records: search without hydration / raw"
        assert [figures[f"{own}, {at}"]["bar"] for at in ("p50", "p95")] == [1.15, 1.3]
        assert figures[f"{own}, p95"]["at"] == "p95"
        bulk = figures[f"{size} records, {size // 4} at once: projection / raw bulk"]
        assert (bulk["bar"], bulk["of"], bulk["rounds"]) == (0.8, "throughput", 4)
    limit = figures["growth of raw _msearch, 240 / 200 records"]["ratio"]
    own = figures["growth of search without hydration, 240 / 200 records"]
    assert own["bar"] == pytest.approx(limit, abs=0.001)
    assert len(told["opensearch"]["lines"]) == 2


def test_a_machine_that_cannot_run_a_node_is_told_in_one_line(tmp_path: Path) -> None:
    told = told_by(tmp_path, "--only", "opensearch", OPENSEARCH_JAVA_HOME=str(tmp_path))
    assert told["figures"] == []
    assert [line for line in told["said"].splitlines() if "OpenSearch" in line] == [
        f"OpenSearch is left out: OPENSEARCH_JAVA_HOME={tmp_path} is no JDK 21 or newer"
    ]
