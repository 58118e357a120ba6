"""The command line: many seeds with their speed, or one seed with its script."""

import argparse
import gc
import time
from collections import Counter
from collections.abc import Iterator, Sequence

from simulation.faults import Fault
from simulation.plans import SCENARIOS, Plan
from simulation.run import COLLECTED_EVERY, Outcome, run_seed
from simulation.shrinking import shrunk

LAST_STEPS = 40


def main(arguments: Sequence[str]) -> int:
    """The exit code: 1 where an invariant did not hold."""
    options = _options(arguments)
    if options.seed is not None:
        return _one(options.seed, scenario=options.scenario, shrink=options.shrink)
    first, _, last = options.seeds.partition("..")
    return _many(range(int(first), int(last) + 1), options)


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="simulation")
    parser.add_argument("--seed", type=int)
    parser.add_argument("--seeds", default="0..999", help="A..B")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="at most so long")
    parser.add_argument("--scenario", choices=SCENARIOS)
    parser.add_argument("--shrink", action="store_true")
    parser.add_argument("--keep-going", action="store_true", help="past a seed that fails")
    parser.add_argument("--faults", action="store_true", help="how often each fault struck")
    return parser.parse_args(arguments)


def _one(seed: int, *, scenario: str | None, shrink: bool) -> int:
    plan, outcome = run_seed(seed, scenario=scenario)
    print(f"seed {seed}: {outcome.steps} steps, {outcome.digest}")  # noqa: T201
    if outcome.violated is None:
        return 0
    _say(plan, outcome)
    if shrink:
        small = shrunk(plan, f"schedule {seed}", outcome.violated.invariant)
        print(f"\nshrunk to {small.plan.size} operations, schedule {small.schedule!r}")  # noqa: T201
        _say(small.plan, small.outcome)
    return 1


def _many(seeds: range, options: argparse.Namespace) -> int:
    start, used = time.monotonic(), time.process_time()
    done, steps, commits, half_seen = 0, 0, 0, 0
    failed: list[int] = []
    faults: Counter[tuple[str, Fault]] = Counter()
    for seed in seeds:
        if time.monotonic() - start >= options.seconds:
            break
        plan, outcome = run_seed(seed, scenario=options.scenario)
        done, steps, commits = done + 1, steps + outcome.steps, commits + outcome.commits
        half_seen += outcome.half_seen
        faults += outcome.faults
        if done % COLLECTED_EVERY == 0:
            gc.collect()
        if outcome.violated is not None:
            failed.append(seed)
            print(f"seed {seed} ({plan.scenario}): {outcome.violated}")  # noqa: T201
            if not options.keep_going:
                _say(plan, outcome)
                print(f"again: python -m simulation --seed {seed} --shrink")  # noqa: T201
                break
    took, used = time.monotonic() - start, time.process_time() - used
    print(  # noqa: T201
        f"{done} seeds in {took:.1f} s ({done / max(used, 0.001):.0f} a second of a core),"
        f" {steps} steps,"
        f" {commits} commits, {half_seen} half-visible reads, {faults.total()} faults,"
        f" {len(failed)} failed"
    )
    if options.faults:
        print("\n".join(_told(faults)))  # noqa: T201
    return 1 if failed else 0


def _told(faults: Counter[tuple[str, Fault]]) -> Iterator[str]:
    for (operation, fault), number in sorted(faults.items()):
        yield f"  {operation}: {fault.value} {number}"


def _say(plan: Plan, outcome: Outcome) -> None:
    print(plan)  # noqa: T201
    for line in outcome.trace[-LAST_STEPS:]:
        print("   ", *line)  # noqa: T201
    print(outcome.violated)  # noqa: T201
