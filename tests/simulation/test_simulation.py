"""Seeds for as long as there is time, each shard in a process of its own, so that hashes are fixed
and nothing else slows it down: no invariant is violated, and the same seed gives the same run.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from simulation.plans import SCENARIOS

TESTS = Path(__file__).parents[1]
SECONDS = float(os.environ.get("SIMULATION_SECONDS", "60"))
FIRST = int(os.environ.get("SIMULATION_FIRST", "0"))
MOST = 10_000_000
FLOOR = 1
"""Seeds a second that must have been run, at least: one that stands still proves nothing."""


def simulation(*options: str, module: str = "simulation") -> str:
    """What the command prints; it must succeed."""
    path = os.pathsep.join((str(TESTS.parent / "functions"), str(TESTS)))
    ran = subprocess.run(
        [sys.executable, "-m", module, *options],
        env={**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": "0"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr[-4000:]
    return ran.stdout


@pytest.mark.parametrize("shard", [0, 1])
def test_no_seed_violates_an_invariant(shard: int) -> None:
    first = FIRST + shard * MOST
    told = simulation("--seeds", f"{first}..{first + MOST - 1}", "--seconds", str(SECONDS))
    print(told)  # noqa: T201
    ran = re.search(r"^(\d+) seeds", told, re.MULTILINE)
    assert ran is not None
    assert int(ran[1]) >= FLOOR * SECONDS


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_same_seed_gives_the_same_run(scenario: str) -> None:
    once = simulation("--seed", "7", "--scenario", scenario)
    assert simulation("--seed", "7", "--scenario", scenario) == once
    assert simulation("--seed", "8", "--scenario", scenario) != once
