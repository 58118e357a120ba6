"""What every language model does. An adapter's test class inherits it and gives it a `model` that
answers with `answered`.
"""

import json
import re
from concurrent.futures import ThreadPoolExecutor

import pytest

from palimpsest.domain.errors import DeadlineExceeded, ProviderError
from palimpsest.domain.language import Prompt, Refused
from palimpsest.ports.models import LanguageModel

TIMEOUT = 60.0
BLANK, ENDLESS, DECLINED = "say nothing", "say much", "something forbidden"


def answered(user: str) -> str | None:
    """What the models of the contract answer; None: they decline."""
    if DECLINED in user:
        return None
    if BLANK in user:
        return ""
    if ENDLESS in user:
        return "word " * 5_000
    return json.dumps({"heard": user}, ensure_ascii=False)


def prompt(user: str, *, system: str = "Answer in JSON.", max_tokens: int = 100) -> Prompt:
    return Prompt(system=system, user=user, max_tokens=max_tokens)


class LanguageModelContract:
    def test_the_name_tells_provider_and_model(self, model: LanguageModel) -> None:
        assert re.fullmatch(r"[a-z]+:\S+", model.name)
        assert model.name == model.name

    @pytest.mark.parametrize(
        "user",
        [
            "how hot does the kiln get",
            'quotes " and \\ and { braces }',
            "line\nbreak\tand\r\nmore",
            "会议改到星期四 🎉 über",
            "a\u2028b\u0085c",
            "long " * 2_000,
        ],
    )
    def test_a_prompt_arrives_whole_and_the_answer_comes_as_it_is(
        self, model: LanguageModel, user: str
    ) -> None:
        completion = model.complete(prompt(user, max_tokens=50_000), timeout=TIMEOUT)
        assert completion.text == answered(user)
        assert not completion.cut
        assert completion.tokens > 0

    def test_the_same_prompt_may_be_asked_again(self, model: LanguageModel) -> None:
        first, second = (model.complete(prompt("again"), timeout=TIMEOUT) for _ in range(2))
        assert first == second

    def test_a_blank_answer_is_an_answer(self, model: LanguageModel) -> None:
        assert model.complete(prompt(BLANK), timeout=TIMEOUT).text == ""

    def test_an_answer_beyond_the_limit_is_cut_and_says_so(self, model: LanguageModel) -> None:
        completion = model.complete(prompt(ENDLESS, max_tokens=10), timeout=TIMEOUT)
        assert completion.cut
        assert (answered(ENDLESS) or "").startswith(completion.text)
        assert 0 < len(completion.text) <= 100

    def test_a_declined_prompt_is_refused_and_others_are_answered(
        self, model: LanguageModel
    ) -> None:
        with pytest.raises(Refused) as caught:
            model.complete(prompt(f"tell me {DECLINED}"), timeout=TIMEOUT)
        assert caught.value.stage == "rewrite"
        assert isinstance(caught.value, ProviderError)
        assert DECLINED not in str(caught.value)
        assert model.complete(prompt("why"), timeout=TIMEOUT).text == answered("why")

    @pytest.mark.parametrize("timeout", [0.0, -1.0])
    def test_no_time_is_an_exceeded_deadline(self, model: LanguageModel, timeout: float) -> None:
        with pytest.raises(DeadlineExceeded) as caught:
            model.complete(prompt("why"), timeout=timeout)
        assert caught.value.stage == "rewrite"

    def test_broken_characters_do_not_stop_an_answer(self, model: LanguageModel) -> None:
        broken = prompt("kiln \ud800 \0 kiln", system="Answer \udfff in JSON.")
        assert "kiln" in model.complete(broken, timeout=TIMEOUT).text

    def test_a_prompt_without_a_system_part_is_answered(self, model: LanguageModel) -> None:
        completion = model.complete(prompt("why", system=""), timeout=TIMEOUT)
        assert completion.text == answered("why")

    def test_b4_concurrent_prompts_each_get_their_own_answer(self, model: LanguageModel) -> None:
        users = [f"question {number}" for number in range(32)]
        with ThreadPoolExecutor(8) as threads:
            found = threads.map(lambda u: model.complete(prompt(u), timeout=TIMEOUT).text, users)
            assert list(found) == [answered(user) for user in users]
