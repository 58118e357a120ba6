"""Every language model against the contract."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from contract.language_model_contract import DECLINED, LanguageModelContract, answered, prompt
from contract.serving import replying
from contract.simulated_bedrock import Answer, bedrock_client
from contract.simulated_chats import (
    SimulatedAzure,
    SimulatedChats,
    SimulatedLmStudio,
    SimulatedParts,
    SimulatedReasoning,
)
from palimpsest.adapters.bedrock import ConverseModel
from palimpsest.adapters.http_models import ChatCompletionsModel
from palimpsest.adapters.simulated import Fault, FaultKind, SimulatedLanguageModel
from palimpsest.ports.models import LanguageModel


@contextmanager
def served(chats: SimulatedChats, model: str = "some-model") -> Iterator[ChatCompletionsModel]:
    with replying(chats) as url:
        adapter = ChatCompletionsModel(base_url=url, model=model, api_key="none")
        yield adapter
        adapter.close()


class TestSimulated(LanguageModelContract):
    @pytest.fixture
    def model(self) -> LanguageModel:
        declining = Fault(kind=FaultKind.REFUSED, containing=DECLINED)
        return SimulatedLanguageModel(lambda p: answered(p.user) or "", faults=[declining])


class TestChats(LanguageModelContract):
    @pytest.fixture
    def model(self) -> Iterator[LanguageModel]:
        with served(SimulatedChats()) as model:
            yield model


class TestReasoningByItsName(LanguageModelContract):
    @pytest.fixture
    def model(self) -> Iterator[LanguageModel]:
        with served(SimulatedReasoning(), "gpt-5-mini") as model:
            yield model


class TestReasoningUnderAnotherName(LanguageModelContract):
    @pytest.fixture
    def model(self) -> Iterator[LanguageModel]:
        with served(SimulatedReasoning()) as model:
            yield model


class TestLmStudio(LanguageModelContract):
    @pytest.fixture
    def model(self) -> Iterator[LanguageModel]:
        with served(SimulatedLmStudio()) as model:
            yield model


class TestParts(LanguageModelContract):
    @pytest.fixture
    def model(self) -> Iterator[LanguageModel]:
        with served(SimulatedParts()) as model:
            yield model


class TestAzure(LanguageModelContract):
    @pytest.fixture
    def model(self) -> Iterator[LanguageModel]:
        with served(SimulatedAzure()) as model:
            yield model


class TestConverse(LanguageModelContract):
    @pytest.fixture
    def model(self) -> LanguageModel:
        return ConverseModel(bedrock_client(converse), model="eu.amazon.nova-lite-v1:0")


def converse(_model: str, body: dict[str, Any]) -> Answer:
    """Bedrock as it answers; blank texts it does not take."""
    texts = [block["text"] for block in body.get("system", [])]
    texts += [block["text"] for message in body["messages"] for block in message["content"]]
    if not all(text.strip() for text in texts):
        return 400, "ValidationException", {"message": "The text field is blank"}
    text = answered(texts[-1])
    most = body["inferenceConfig"]["maxTokens"] * 4
    if text is None:
        reason, text = "content_filtered", ""
    else:
        reason = "max_tokens" if len(text) > most else "end_turn"
    thought = {"reasoningContent": {"reasoningText": {"text": "hm"}}}
    message = {"role": "assistant", "content": [thought, {"text": text[:most]}]}
    usage = {"inputTokens": 5, "outputTokens": 7, "totalTokens": 12}
    return 200, "", {"output": {"message": message}, "stopReason": reason, "usage": usage}


def test_what_an_endpoint_refuses_is_asked_for_once_and_never_again() -> None:
    chats = SimulatedReasoning()
    with served(chats) as model:
        for _ in range(3):
            model.complete(prompt("why"), timeout=60)
    left_out = [sorted({"max_tokens", "temperature"} & body.keys()) for body in chats.requests]
    assert left_out == [["max_tokens", "temperature"], ["temperature"], [], [], []]
    assert all("response_format" in body for body in chats.requests)
