"""Deliberate faults, put into a copy of the code one at a time; the simulation must find each.

    python -m simulation.mutations [--seeds N] [--only WORDS]

prints the table: the fault, the invariant that found it, after how many seeds.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from simulation.mutation import Mutation
from simulation.mutation_list import MUTATIONS

TESTS = Path(__file__).parents[1]
FUNCTIONS = TESTS.parent / "functions"
SEEDS = 4000
LONGEST_S = 400
_FAILED = re.compile(r"^seed (\d+) \((.*?)\): (.*?): ", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Caught:
    """What became of a mutation: by which invariant it was found, after how many seeds; `invariant`
    is None where it was not.
    """

    mutation: Mutation
    invariant: str | None
    seeds: int


def mutated(mutation: Mutation, functions: Path) -> None:
    """Put the fault into a copy of the code. Raises `LookupError` where its place is not found
    exactly once.
    """
    place = functions / mutation.file
    text = place.read_text()
    for old, new in filter(None, ((mutation.old, mutation.new), mutation.also)):
        if text.count(old) != 1:
            raise LookupError(f"{mutation.name}: {text.count(old)} times in {mutation.file}")
        text = text.replace(old, new)
    place.write_text(text)


def caught(mutation: Mutation, *, seeds: int = SEEDS, seconds: float = LONGEST_S) -> Caught:
    """Run seeds on a copy of the code with the fault until one fails."""
    with tempfile.TemporaryDirectory() as folder:
        functions = Path(folder) / "functions"
        shutil.copytree(FUNCTIONS, functions, ignore=shutil.ignore_patterns("__pycache__"))
        mutated(mutation, functions)
        scenario = ["--scenario", mutation.scenario] if mutation.scenario else []
        ran = subprocess.run(
            [
                *(sys.executable, "-m", "simulation", "--seeds", f"0..{seeds - 1}"),
                *("--seconds", str(seconds), *scenario),
            ],
            env={
                **os.environ,
                "PYTHONPATH": f"{functions}{os.pathsep}{TESTS}",
                "PYTHONHASHSEED": "0",
                "PYTHONDONTWRITEBYTECODE": "1",
            },
            capture_output=True,
            text=True,
            check=False,
        )
    found = _FAILED.search(ran.stdout)
    if found is None:
        if ran.returncode:
            return Caught(mutation, f"error: {ran.stderr.strip()[-200:]}", 1)
        return Caught(
            mutation, None, int((re.search(r"^(\d+) seeds", ran.stdout, re.MULTILINE) or [0, 0])[1])
        )
    return Caught(mutation, found[3], int(found[1]) + 1)


def rows(mutations: Sequence[Mutation], *, seeds: int) -> Iterator[str]:
    """The lines of the table, one by one as they are known."""
    yield "| fault | in | what it breaks | found by | after seeds |"
    yield "|---|---|---|---|---|"
    for mutation in mutations:
        it = caught(mutation, seeds=seeds)
        file = mutation.file.removeprefix("palimpsest/")
        found = it.invariant or "**nothing**"
        yield f"| {mutation.name} | `{file}` | {mutation.breaks} | {found} | {it.seeds} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="simulation.mutations")
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--only", default="", help="those whose names have this in them")
    options = parser.parse_args()
    wanted = [one for one in MUTATIONS if options.only in one.name]
    for row in rows(wanted, seeds=options.seeds):
        print(row, flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
