"""The simulation shows what it is for: half-visible commits, lost wake-ups, every kind of fault;
and a planted fault is found and shrunk to a short script.
"""

import random
from collections import Counter

import pytest

from palimpsest.adapters.opensearch import documents
from simulation.drawing import Drawing
from simulation.faults import BY_OPERATION, CRASHES, PORTS, Fault, Faults
from simulation.plans import SCENARIOS, Plan, PlannedActor, PlannedWish, Send
from simulation.run import run, run_seed
from simulation.shrinking import shrunk

SEEDS = 60


def test_commits_are_seen_half_wakes_are_lost_and_faults_of_every_port_occur() -> None:
    outcomes = [run_seed(seed)[1] for seed in range(SEEDS)]
    assert [one.violated for one in outcomes if one.violated] == []
    assert sum(one.half_seen for one in outcomes) > SEEDS / 2
    assert sum(one.lost_wakes for one in outcomes) > SEEDS / 2
    faults = sum((one.faults for one in outcomes), Counter[tuple[str, Fault]]())
    assert {operation.partition(".")[0] for operation, _ in faults} == set(PORTS)
    assert {kind for _, kind in faults} & set(CRASHES)


def test_every_operation_has_every_fault_that_is_named_for_it() -> None:
    struck = Counter[tuple[str, Fault]]()
    for number in range(400):
        faults = Faults(random.Random(number))
        for operation in BY_OPERATION:
            for _ in range(100):
                faults.strike(operation)
        struck += faults.counts
    named = {(operation, kind) for operation, kinds in BY_OPERATION.items() for kind in kinds}
    assert struck.keys() == named


def test_a_run_is_the_same_again_whatever_ran_before() -> None:
    first = run_seed(3)[1]
    run_seed(4)
    assert run_seed(3)[1].digest == first.digest


def test_a_scenario_may_be_asked_for() -> None:
    assert {Drawing(5).plan(name).scenario for name in SCENARIOS} == set(SCENARIOS)


def test_a_planted_fault_is_found_and_shrunk(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = documents.as_json
    monkeypatch.setattr(
        documents,
        "as_json",
        lambda value: plain(value).replace(b',"version_type":"external_gte"', b""),
    )
    wishes = [PlannedWish(one, f"{one} {word}") for word in ("x", "y", "z") for one in ("a", "b")]
    sends = tuple(Send((wish,)) for wish in wishes)
    actors = tuple(PlannedActor("client", "acme", name, sends) for name in ("notes", "plans"))
    plan = Plan("mixed", actors)
    for number in range(400):
        outcome = run(plan, f"schedule {number}")
        if outcome.violated is not None:
            break
    else:
        pytest.fail("the fault was not found")
    assert outcome.violated.invariant == "an older pass undoes a newer"
    small = shrunk(plan, f"schedule {number}", outcome.violated.invariant, seconds=15)
    assert small.plan.size < plan.size
    assert len(small.plan.actors) == 1
    assert small.outcome.violated is not None
    assert "put a = " in str(small.plan) or "put b = " in str(small.plan)
