"""The simulated embedder: the same again with the same seed, and faults as they are asked for."""

import subprocess
import sys
from pathlib import Path

import pytest

from palimpsest.adapters.simulated import Fault, FaultKind, Operation, SimulatedEmbedder
from palimpsest.domain.embedding import Embedded
from palimpsest.domain.errors import (
    DeadlineExceeded,
    EmbeddingRejected,
    PalimpsestError,
    ProviderError,
    Throttled,
    Unavailable,
)

FUNCTIONS = Path(__file__).resolve().parents[3] / "functions"


@pytest.mark.parametrize(
    ("kind", "error"),
    [
        (FaultKind.OUTAGE, Unavailable),
        (FaultKind.TIMEOUT, DeadlineExceeded),
        (FaultKind.THROTTLED, Throttled),
        (FaultKind.TOO_FEW, ProviderError),
    ],
)
def test_a_fault_of_the_call_is_its_error_in_both_operations(
    kind: FaultKind, error: type[PalimpsestError]
) -> None:
    embedder = SimulatedEmbedder(faults=[Fault(kind=kind)])
    with pytest.raises(error):
        embedder.embed_query("why", timeout=1)
    with pytest.raises(error):
        embedder.embed_passages(["because"], timeout=1)


@pytest.mark.parametrize("kind", [FaultKind.ZERO, FaultKind.NOT_FINITE, FaultKind.WRONG_WIDTH])
def test_b1_a_fault_of_one_text_rejects_that_text(kind: FaultKind) -> None:
    embedder = SimulatedEmbedder(faults=[Fault(kind=kind, containing="poison")])
    good, bad = embedder.embed_passages(["clean", "poison"], timeout=1)
    assert isinstance(good, Embedded)
    assert isinstance(bad, EmbeddingRejected)
    assert bad.reason == kind.value
    with pytest.raises(EmbeddingRejected):
        embedder.embed_query("poison", timeout=1)


def test_a_fault_ends_after_its_count_or_when_healed() -> None:
    embedder = SimulatedEmbedder(faults=[Fault(kind=FaultKind.OUTAGE, max_count=1)])
    with pytest.raises(Unavailable):
        embedder.embed_query("why", timeout=1)
    embedder.embed_query("why", timeout=1)
    embedder.inject(Fault(kind=FaultKind.OUTAGE))
    embedder.heal()
    embedder.embed_query("why", timeout=1)


def test_a_fault_keeps_to_its_operation() -> None:
    embedder = SimulatedEmbedder(
        faults=[Fault(kind=FaultKind.OUTAGE, operation=Operation.PASSAGES)]
    )
    embedder.embed_query("why", timeout=1)
    with pytest.raises(Unavailable):
        embedder.embed_passages(["because"], timeout=1)


def outcomes(seed: int) -> list[bool]:
    embedder = SimulatedEmbedder(seed=seed, faults=[Fault(kind=FaultKind.ZERO, probability=0.5)])
    results = embedder.embed_passages([f"text {n}" for n in range(64)], timeout=1)
    return [isinstance(result, Embedded) for result in results]


def test_chance_repeats_with_its_seed() -> None:
    assert outcomes(1) == outcomes(1)
    assert outcomes(1) != outcomes(2)
    assert 16 < sum(outcomes(1)) < 48


def test_vectors_are_the_same_in_every_process() -> None:
    program = (
        "from palimpsest.adapters.simulated import SimulatedEmbedder as E;"
        "print(E(seed=3).embed_query('the same in every process', timeout=1))"
    )
    environment = {"PYTHONPATH": str(FUNCTIONS), "PYTHONHASHSEED": "77"}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    here = SimulatedEmbedder(seed=3).embed_query("the same in every process", timeout=1)
    assert done.stdout.strip() == str(here)


def test_b5_calls_hold_what_reached_the_model_and_nothing_blank() -> None:
    embedder = SimulatedEmbedder()
    embedder.embed_passages(["", "a", "\n", "b"], timeout=1)
    embedder.embed_passages([" "], timeout=1)
    embedder.embed_query("c", timeout=1)
    assert embedder.calls == [["a", "b"], ["c"]]
