"""Passes, purges and canonical reconciles are really tried: they end in every way that they may, as
jobs too, and what is damaged is mended.
"""

import json
from collections import Counter

from simulation.damage import DAMAGES
from simulation.plans import RECONCILE
from simulation.run import run_seed

SEEDS = 60


def test_passes_end_in_every_way_and_everything_is_damaged() -> None:
    said: Counter[str] = Counter()
    for seed in range(SEEDS):
        outcome = run_seed(seed, scenario=RECONCILE)[1]
        assert outcome.violated is None
        for _, _, what, *more in outcome.trace:
            if what == "answered":
                said[_kind(*more)] += 1
            elif what in {"damaged", "step"}:
                said[more[0]] += 1
            else:
                said[what] += 1
    for kind in ("applied", "stale", "dry", "job", "newer", "purged", "the machine is gone"):
        assert said[kind], kind
    for step in ("plan", "prepare", "apply", "verify", "finish", "erase", "mend"):
        assert said[step], step
    assert all(said[kind] for kind in DAMAGES)


def _kind(_: str, job: str, report: str) -> str:
    if job:
        return "job"
    told = json.loads(report)
    if told["dry_run"]:
        return "dry"
    if not told["applied"]:
        return str(told["reason"])
    return "newer" if told["newer"] else "applied"
