"""The simulated language model: scripted answers, and faults as they are asked for."""

import time

import pytest

from palimpsest.adapters.simulated import Fault, FaultKind, SimulatedLanguageModel
from palimpsest.domain.errors import DeadlineExceeded, PalimpsestError, Throttled, Unavailable
from palimpsest.domain.language import Completion, Prompt, Refused


def prompt(user: str, max_tokens: int = 100) -> Prompt:
    return Prompt(system="Answer.", user=user, max_tokens=max_tokens)


def ask(model: SimulatedLanguageModel, user: str = "why", timeout: float = 1) -> Completion:
    return model.complete(prompt(user), timeout=timeout)


def test_the_first_reply_whose_key_is_in_the_question_is_the_answer() -> None:
    model = SimulatedLanguageModel({"kiln": "hot", "cold kiln": "cold"}, otherwise="unknown")
    assert ask(model, "the cold kiln").text == "hot"
    assert ask(model, "the boat").text == "unknown"
    assert ask(SimulatedLanguageModel({})).text == ""


def test_a_function_may_answer_from_the_whole_prompt() -> None:
    model = SimulatedLanguageModel(lambda asked: f"{asked.system} {asked.user}")
    assert ask(model, "Why?").text == "Answer. Why?"


def test_tokens_are_four_characters_and_the_limit_cuts() -> None:
    model = SimulatedLanguageModel({}, otherwise="a" * 100)
    assert model.complete(prompt("why?", max_tokens=10), timeout=1) == Completion(
        text="a" * 40, tokens=2 + 1 + 10, cut=True
    )
    assert model.complete(prompt("why?", max_tokens=25), timeout=1) == Completion(
        text="a" * 100, tokens=2 + 1 + 25
    )


@pytest.mark.parametrize(
    ("kind", "error", "reached"),
    [
        (FaultKind.OUTAGE, Unavailable, 0),
        (FaultKind.TIMEOUT, DeadlineExceeded, 0),
        (FaultKind.THROTTLED, Throttled, 0),
        (FaultKind.REFUSED, Refused, 1),
    ],
)
def test_a_fault_is_its_error(kind: FaultKind, error: type[PalimpsestError], reached: int) -> None:
    model = SimulatedLanguageModel({}, faults=[Fault(kind=kind, containing="bad")])
    with pytest.raises(error) as caught:
        ask(model, "bad")
    assert type(caught.value) is error
    assert getattr(caught.value, "stage", "rewrite") == "rewrite"
    assert len(model.calls) == reached
    ask(model, "good")


def test_rubbish_is_no_json_and_not_the_scripted_answer() -> None:
    model = SimulatedLanguageModel({}, otherwise="{}", faults=[Fault(kind=FaultKind.RUBBISH)])
    assert ask(model).text.startswith("}")


def test_a_stall_really_waits_and_then_answers() -> None:
    fault = Fault(kind=FaultKind.STALL, seconds=0.05)
    model = SimulatedLanguageModel({}, otherwise="yes", faults=[fault])
    begin = time.monotonic()
    assert ask(model, timeout=30).text == "yes"
    assert time.monotonic() - begin >= 0.05


@pytest.mark.parametrize(("seconds", "slept"), [(0.5, [0.5]), (1.0, [1.0]), (60.0, [1.0])])
def test_a_stall_ends_with_the_time_that_there_is(seconds: float, slept: list[float]) -> None:
    pauses: list[float] = []
    fault = Fault(kind=FaultKind.STALL, seconds=seconds)
    model = SimulatedLanguageModel({}, faults=[fault], sleep=pauses.append)
    if seconds < 1:
        ask(model, timeout=1)
    else:
        with pytest.raises(DeadlineExceeded):
            ask(model, timeout=1)
    assert pauses == slept
    assert len(model.calls) == 1


def test_faults_are_injected_counted_and_healed() -> None:
    model = SimulatedLanguageModel({}, faults=[Fault(kind=FaultKind.OUTAGE, max_count=1)])
    with pytest.raises(Unavailable):
        ask(model)
    ask(model)
    model.inject(Fault(kind=FaultKind.THROTTLED))
    with pytest.raises(Throttled):
        ask(model)
    model.heal()
    ask(model)


def test_a_fault_that_a_model_cannot_have_is_not_taken() -> None:
    with pytest.raises(ValueError, match="zero"):
        SimulatedLanguageModel({}, faults=[Fault(kind=FaultKind.ZERO)])


def outcomes(seed: int) -> list[bool]:
    fault = Fault(kind=FaultKind.RUBBISH, probability=0.5)
    model = SimulatedLanguageModel({}, seed=seed, faults=[fault])
    return [ask(model, str(number)).text == "" for number in range(64)]


def test_chance_repeats_with_its_seed() -> None:
    assert outcomes(1) == outcomes(1)
    assert outcomes(1) != outcomes(2)
    assert 16 < sum(outcomes(1)) < 48


def test_the_name_is_of_the_seed_unless_it_is_given() -> None:
    assert SimulatedLanguageModel({}, seed=3).name == "simulated:3"
    assert SimulatedLanguageModel({}, name="openai:some").name == "openai:some"
