import json
import threading
from typing import Any

import pytest

from functional.deep_scene import QUESTION, TEXTS, VARIATIONS, model, scene
from palimpsest.adapters.simulated import Fault, FaultKind, SimulatedLanguageModel
from palimpsest.adapters.system import SystemClock, ThreadExecutor
from palimpsest.domain.entries import Leg
from palimpsest.domain.language import Completion, Prompt
from palimpsest.domain.rewriting import Turn
from palimpsest.services.rewrite import KEPT_S, RewriteService, RewriteStatus
from search_scene import Around, Calls, Scene, TimedExecutor
from world import MovableClock


def test_h1_the_original_is_first_and_always_searched_whatever_the_model_says() -> None:
    said = ["", "1. **coffee technician**", "# Questions", QUESTION.upper(), "coffee technician",
            "- espresso machine repaired", *(f"another {n}" for n in range(50))]  # fmt: skip
    index = Calls(Scene(TEXTS).index)
    here = scene(model=model(*said), index=index)
    assert here.search(QUESTION).outcome.deep.variations == (QUESTION, *VARIATIONS)
    assert [query.text for query in index.asked[0] if query.leg is Leg.LEXICAL] == [
        QUESTION,
        *VARIATIONS,
    ]
    embedded = [text for call in here.embedder.calls for text in call]
    assert embedded[len(TEXTS) :] == [QUESTION, *VARIATIONS]


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        (Fault(kind=FaultKind.OUTAGE), "model_unavailable"),
        (Fault(kind=FaultKind.TIMEOUT), "model_timeout"),
        (Fault(kind=FaultKind.THROTTLED), "model_throttled"),
        (Fault(kind=FaultKind.REFUSED), "model_refused"),
        (Fault(kind=FaultKind.RUBBISH), "no_json"),
    ],
)
def test_c13_a_rewriter_that_fails_leaves_the_original_and_is_told(
    broken: Fault, reason: str
) -> None:
    here = scene(model=model(faults=[broken]))
    answer = here.search(QUESTION)
    deep = answer.outcome.deep
    assert (deep.used, deep.variations, deep.reason) == (False, (QUESTION,), f"rewrite:{reason}")
    assert answer.degraded == ["rewrite"]
    plain = here.search(QUESTION, deep=False)
    assert [hit.fused for hit in answer.hits] == [hit.fused for hit in plain.hits]
    assert answer.usage.llm_calls == 1


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ('{"variations": ["coffee tech', "no_json"),
        ("{}", "wrong_shape"),
        ('{"variations": [{"q": "coffee"}]}', "not_strings"),
        ('{"variations": [1, 2]}', "not_strings"),
        (json.dumps({"variations": [QUESTION.upper()]}), "no_variation"),
    ],
)
def test_h2_an_answer_that_cannot_be_used_is_a_fallback_with_its_reason(
    reply: str, reason: str
) -> None:
    answer = scene(model=SimulatedLanguageModel({}, otherwise=reply)).search(QUESTION)
    assert (answer.outcome.deep.reason, answer.degraded) == (f"rewrite:{reason}", ["rewrite"])
    assert (answer.outcome.deep.variations, answer.usage.llm_calls) == ((QUESTION,), 1)
    assert answer.usage.llm_tokens > 0  # it was paid for all the same
    assert answer.hits


@pytest.mark.parametrize("reply", [
    "```json\n{}\n```", "```json\n{}", "Sure! Here you are: {} Anything else?",
])  # fmt: skip
def test_h2_valid_json_is_read_out_of_fences_and_prose(reply: str) -> None:
    said = reply.replace("{}", json.dumps({"variations": VARIATIONS}))
    deep = scene(model=SimulatedLanguageModel({}, otherwise=said)).search(QUESTION).outcome.deep
    assert (deep.used, deep.variations) == (True, (QUESTION, *VARIATIONS))


def test_an_answer_that_was_cut_off_says_so() -> None:
    class Cut:
        name = "cut"

        def complete(self, prompt: Prompt, *, timeout: float) -> Completion:  # noqa: ARG002
            return Completion(text='{"variations": ["coffee', tokens=7, cut=True)

    answer = scene(model=Cut()).search(QUESTION)
    assert answer.outcome.deep.reason == "rewrite:cut_off"
    assert answer.usage.llm_tokens == 7


def test_a_rewriting_is_kept_by_tenant_query_and_time() -> None:
    here = scene()
    llm = here.parts["model"]
    here.search(QUESTION)
    here.search(QUESTION, tenant="other")
    assert len(llm.calls) == 2  # one tenant's never answers another's
    here.search(QUESTION + "!")
    assert len(llm.calls) == 3
    here.clock.move(KEPT_S - 1)
    here.search(QUESTION)
    assert len(llm.calls) == 3
    here.clock.move(1)
    here.search(QUESTION)
    assert len(llm.calls) == 4


def test_a_rewriting_is_kept_by_model_and_history() -> None:
    clock, llm = MovableClock(), model()
    service = RewriteService(llm, executor=TimedExecutor(clock), clock=clock)
    turns = (Turn("user", "the coffee corner"),)
    for history in ((), turns, (), turns, (*turns, *turns)):
        found = service.rewrite_within("acme", QUESTION, history=history, timeout=5)
        assert found.status is RewriteStatus.OK
    assert len(llm.calls) == 3
    service.model = other = model(name="another")
    service.rewrite_within("acme", QUESTION, timeout=5)
    assert len(other.calls) == 1


def test_a_failed_rewriting_is_not_kept() -> None:
    here = scene(model=model(faults=[Fault(kind=FaultKind.RUBBISH, max_count=1)]))
    assert here.search(QUESTION).degraded == ["rewrite"]
    assert here.search(QUESTION).outcome.deep.used


def test_a_rewriting_within_its_time_keeps_as_many_variations_as_asked() -> None:
    clock = MovableClock()
    service = RewriteService(model(), executor=TimedExecutor(clock), clock=clock)
    two = service.rewrite_within("acme", QUESTION, most=2, timeout=5)
    assert two.rewriting.variations == (QUESTION, VARIATIONS[0])
    one = service.rewrite_within("acme", QUESTION, most=1, timeout=5)
    assert (one.status, one.reason) == (RewriteStatus.SKIPPED, "nothing_asked")
    none = RewriteService(None, executor=TimedExecutor(clock), clock=clock)
    assert none.rewrite_within("acme", QUESTION, most=1, timeout=5).reason == "not_configured"


def test_a_model_that_ignores_its_time_out_is_not_waited_for() -> None:
    clock, llm = MovableClock(), model()

    def late(prompt: Prompt, *, timeout: float) -> Completion:
        clock.move(3600)
        return llm.complete(prompt, timeout=timeout)

    slow: Any = Around(llm, complete=late)
    service = RewriteService(slow, executor=TimedExecutor(clock), clock=clock)
    found = service.rewrite_within("acme", QUESTION, timeout=5)
    assert (found.status, found.reason) == (RewriteStatus.FALLBACK, "model_timeout")
    assert (found.rewriting.variations, found.llm_calls) == ((QUESTION,), 1)
    assert clock.elapsed == 5


def test_who_waits_in_vain_for_anothers_rewriting_has_asked_nobody() -> None:
    begun, let_go, llm = threading.Event(), threading.Event(), model()

    def held(prompt: Prompt, *, timeout: float) -> Completion:
        begun.set()
        assert let_go.wait(5)
        return llm.complete(prompt, timeout=timeout)

    slow: Any = Around(llm, complete=held)
    executor = ThreadExecutor(workers=2)
    service = RewriteService(slow, executor=executor, clock=SystemClock())
    first = service.begin("acme", QUESTION, timeout=5)
    assert begun.wait(5)
    late = service.rewrite("acme", QUESTION, timeout=0.01)
    assert (late.status, late.reason) == (RewriteStatus.FALLBACK, "model_timeout")
    assert late.llm_calls == 0
    let_go.set()
    assert first.result(5).llm_calls == 1
    executor.close()
