"""The simulated reranker: the same again with the same seed, and faults as they are asked for."""

import math
import time

import pytest

from palimpsest.adapters.simulated import Fault, FaultKind, SimulatedReranker
from palimpsest.domain.errors import (
    DeadlineExceeded,
    PalimpsestError,
    ProviderError,
    Throttled,
    Unavailable,
)

DOCUMENTS = ["the kiln is cold", "the kiln is at cone six", "ships report"]


def test_a_score_is_the_share_of_the_question_in_the_document_from_minus_one_to_one() -> None:
    scores = SimulatedReranker().rerank("Kiln cone", DOCUMENTS, timeout=1)
    assert scores == [0.0, 1.0, -1.0]


def test_scripts_without_spaces_are_compared_by_character() -> None:
    scores = SimulatedReranker().rerank("会议", ["会", "星期四", "会议改到"], timeout=1)
    assert scores == [0.0, -1.0, 1.0]


@pytest.mark.parametrize(
    ("kind", "error", "arrives"),
    [
        (FaultKind.OUTAGE, Unavailable, False),
        (FaultKind.TIMEOUT, DeadlineExceeded, False),
        (FaultKind.THROTTLED, Throttled, False),
        (FaultKind.TOO_FEW, ProviderError, True),
        (FaultKind.NOT_FINITE, ProviderError, True),
        (FaultKind.UNKNOWN_INDEX, ProviderError, True),
    ],
)
def test_a_fault_is_its_error_until_it_is_healed(
    kind: FaultKind, error: type[PalimpsestError], *, arrives: bool
) -> None:
    reranker = SimulatedReranker(faults=[Fault(kind=kind)])
    with pytest.raises(error) as caught:
        reranker.rerank("kiln", DOCUMENTS, timeout=1)
    assert type(caught.value) is error
    assert getattr(caught.value, "stage", "rerank") == "rerank"
    assert reranker.calls == ([("kiln", DOCUMENTS)] if arrives else [])
    reranker.heal()
    assert len(reranker.rerank("kiln", DOCUMENTS, timeout=1)) == 3


def test_a_stall_waits_until_the_time_is_over() -> None:
    reranker = SimulatedReranker(faults=[Fault(kind=FaultKind.STALL, seconds=math.inf)])
    begun = time.monotonic()
    with pytest.raises(DeadlineExceeded) as caught:
        reranker.rerank("kiln", DOCUMENTS, timeout=0.05)
    assert time.monotonic() - begun >= 0.05
    assert caught.value.stage == "rerank"
    assert reranker.calls == []


def test_a_short_stall_is_only_a_late_answer() -> None:
    reranker = SimulatedReranker(faults=[Fault(kind=FaultKind.STALL, seconds=0.05)])
    begun = time.monotonic()
    assert len(reranker.rerank("kiln", DOCUMENTS, timeout=30)) == 3
    assert time.monotonic() - begun >= 0.05


def test_a_fault_strikes_only_what_it_is_meant_for() -> None:
    reranker = SimulatedReranker()
    reranker.inject(Fault(kind=FaultKind.OUTAGE, containing="ships", max_count=1))
    reranker.rerank("kiln", DOCUMENTS[:2], timeout=1)
    with pytest.raises(Unavailable):
        reranker.rerank("kiln", DOCUMENTS, timeout=1)
    reranker.rerank("kiln", DOCUMENTS, timeout=1)
    assert [documents for _, documents in reranker.calls] == [DOCUMENTS[:2], DOCUMENTS]


def test_no_documents_meet_no_fault() -> None:
    reranker = SimulatedReranker(faults=[Fault(kind=FaultKind.OUTAGE)])
    assert reranker.rerank("kiln", [], timeout=1) == []
    assert reranker.calls == []


def outcomes(seed: int) -> list[bool]:
    reranker = SimulatedReranker(seed=seed, faults=[Fault(kind=FaultKind.OUTAGE, probability=0.5)])

    def answered(question: str) -> bool:
        try:
            reranker.rerank(question, DOCUMENTS, timeout=1)
        except Unavailable:
            return False
        return True

    return [answered(f"kiln {n}") for n in range(64)]


def test_chance_repeats_with_its_seed() -> None:
    assert outcomes(1) == outcomes(1)
    assert outcomes(1) != outcomes(2)
    assert 10 < sum(outcomes(1)) < 54


def test_a_fault_of_another_model_is_refused() -> None:
    with pytest.raises(ValueError, match="zero"):
        SimulatedReranker(faults=[Fault(kind=FaultKind.ZERO)])
