"""The benchmarks run, at a size that measures nothing: no test here looks at a time."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from stack import ROOT, free_ports


@pytest.mark.stack
def test_every_benchmark_of_the_table_runs_and_tells_its_figures(tmp_path: Path) -> None:
    told = tmp_path / "bench.json"
    sizes = ["--records", "200", "--rounds", "2", "--projected", "100"]
    done = subprocess.run(
        [
            sys.executable, "-m", "benchmarks.run", "--embedder", "simulated", *sizes,
            "--only", "search,growth,commits,projection", "--port", str(free_ports()),
            "--output", str(told),
        ],
        env={
            "PATH": os.environ["PATH"],
            "PYTHONPATH": os.pathsep.join(str(ROOT / f) for f in ("functions", "infra", "tests")),
            "TMPDIR": str(tmp_path),
        },
        capture_output=True,
        text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    figures = json.loads(told.read_text())["figures"]
    names = [figure["name"] for figure in figures]
    assert len(names) == len(set(names))
    bars = {figure["bar"] for figure in figures}
    assert bars == {None, 0.8, 1.2, 1.3}
