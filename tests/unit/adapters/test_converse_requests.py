"""What the language model over Converse asks for. botocore is the real one; what it would send is
answered in this process.
"""

from typing import Any

import pytest

from contract.simulated_bedrock import Answer, bedrock_client
from palimpsest.adapters.bedrock import ConverseModel
from palimpsest.domain.errors import DeadlineExceeded
from palimpsest.domain.language import Prompt

NOVA = "eu.amazon.nova-lite-v1:0"
PROMPT = Prompt(system="Answer in JSON.", user="why is the kiln cold", max_tokens=50)


def request_to(model: str, prompt: Prompt = PROMPT) -> dict[str, Any]:
    """The body that a model is sent."""
    bodies: list[dict[str, Any]] = []

    def answer(asked: str, body: dict[str, Any]) -> Answer:
        assert asked == model
        bodies.append(body)
        message = {"role": "assistant", "content": [{"text": "yes"}]}
        return 200, "", {"output": {"message": message}, "stopReason": "end_turn"}

    client = bedrock_client(answer)
    ConverseModel(client, model=model).complete(prompt, timeout=5)
    return bodies[0]


def test_a_request_holds_the_system_part_the_user_part_and_the_limits() -> None:
    assert request_to(NOVA) == {
        "system": [{"text": PROMPT.system}],
        "messages": [{"role": "user", "content": [{"text": PROMPT.user}]}],
        "inferenceConfig": {"maxTokens": 50, "temperature": 0.0},
    }


def test_a_blank_system_part_is_not_sent() -> None:
    prompt = Prompt(system=" \n\0", user="why", max_tokens=5)
    assert "system" not in request_to(NOVA, prompt)


@pytest.mark.parametrize(
    ("model", "sent"),
    [
        ("amazon.nova-micro-v1:0", True),
        ("us.amazon.nova-pro-v1:0", True),
        ("amazon.nova-2-lite-v1:0", False),
        ("anthropic.claude-3-haiku-20240307-v1:0", True),
        ("us.anthropic.claude-3-7-sonnet-20250219-v1:0", True),
        ("eu.anthropic.claude-sonnet-4-20250514-v1:0", True),
        ("global.anthropic.claude-haiku-4-5-20251001-v1:0", True),
        ("global.anthropic.claude-sonnet-4-6", True),
        ("us.anthropic.claude-opus-4-7", False),
        ("us.anthropic.claude-opus-4-8", False),
        ("us.anthropic.claude-opus-5", False),
        ("us.meta.llama3-3-70b-instruct-v1:0", True),
        ("mistral.mistral-large-2407-v1:0", True),
        ("openai.gpt-oss-120b-1:0", False),
        ("arn:aws:bedrock:eu-west-1:123456789012:application-inference-profile/a", False),
    ],
)
def test_a_temperature_is_sent_only_to_models_that_surely_take_it(
    model: str, *, sent: bool
) -> None:
    assert ("temperature" in request_to(model)["inferenceConfig"]) is sent


@pytest.mark.parametrize("timeout", [0.0, -1.0])
def test_no_request_is_made_where_there_is_no_time(timeout: float) -> None:
    def answer(_model: str, _body: dict[str, Any]) -> Answer:
        raise AssertionError

    with pytest.raises(DeadlineExceeded):
        ConverseModel(bedrock_client(answer), model=NOVA).complete(PROMPT, timeout=timeout)


def test_an_inference_profile_has_the_name_of_its_model() -> None:
    profile = ConverseModel(bedrock_client(lambda *_: (200, "", {})), model=NOVA)
    assert profile.name == "bedrock:amazon.nova-lite-v1:0"
