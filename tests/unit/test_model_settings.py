from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from moto import mock_aws

from contract.serving import Reply, replying
from palimpsest.adapters.bedrock import BedrockReranker, ConverseModel
from palimpsest.adapters.http_models import ChatCompletionsModel, HttpReranker
from palimpsest.adapters.simulated import SimulatedLanguageModel, SimulatedReranker
from palimpsest.bootstrap.models import make_language_model, make_reranker
from palimpsest.domain.errors import PalimpsestError
from palimpsest.domain.language import Prompt
from palimpsest.settings import SettingsError, load

PROMPT = Prompt(system="Answer in JSON.", user="x", max_tokens=5)
URL = "http://127.0.0.1:9/v1"
CHAT = {
    "LANGUAGE_MODEL": "openai",
    "LANGUAGE_MODEL_NAME": "gpt-x",
    "LANGUAGE_MODEL_URL": URL,
}
BEDROCK_CHAT = {"LANGUAGE_MODEL": "bedrock", "LANGUAGE_MODEL_NAME": "amazon.nova-micro-v1:0"}
BEDROCK_RERANK = {"RERANKER": "bedrock", "RERANKER_MODEL": "cohere.rerank-v3-5:0"}
RERANK = {"RERANKER": "http", "RERANKER_MODEL": "rerank-x", "RERANKER_URL": URL}


@pytest.fixture
def secret() -> Iterator[str]:
    """The ARN of a stored API key."""
    with mock_aws():
        client = boto3.client("secretsmanager")
        yield client.create_secret(Name="model", SecretString="sk-quite-secret")["ARN"]


class Heard:
    """A server that notes what it is asked and declines it."""

    def __init__(self) -> None:
        self.bodies: list[dict[str, Any]] = []

    def __call__(self, body: dict[str, Any]) -> Reply:
        self.bodies.append(body)
        return 503, {}, b"{}"


def test_nothing_is_the_default() -> None:
    assert make_language_model(load({})) is None
    assert make_reranker(load({})) is None


def test_the_simulated_ones_need_nothing_more() -> None:
    model = make_language_model(load({"LANGUAGE_MODEL": "simulated"}))
    assert isinstance(model, SimulatedLanguageModel)
    asked = Prompt(system="", user='{"query": "a b", "history": []}', max_tokens=50)
    assert '"b a"' in model.complete(asked, timeout=1).text
    assert isinstance(make_reranker(load({"RERANKER": "simulated"})), SimulatedReranker)


def test_bedrock_models_carry_the_name_that_is_set() -> None:
    model = make_language_model(load(BEDROCK_CHAT))
    assert isinstance(model, ConverseModel)
    assert model.name == "bedrock:amazon.nova-micro-v1:0"
    reranker = make_reranker(load(BEDROCK_RERANK))
    assert isinstance(reranker, BedrockReranker)
    assert "cohere.rerank-v3-5:0" in reranker.name


def test_bedrock_requests_end_by_themselves_and_are_not_repeated() -> None:
    model = make_language_model(load(BEDROCK_CHAT))
    reranker = make_reranker(load(BEDROCK_RERANK))
    for made, patience in ((model, 10), (reranker, 5)):
        config = made._client.meta.config  # type: ignore[union-attr]
        assert (config.connect_timeout, config.read_timeout) == (1, patience)
        assert config.retries["total_max_attempts"] == 1


def test_models_behind_http_carry_the_name_that_is_set() -> None:
    model = make_language_model(load(CHAT))
    assert isinstance(model, ChatCompletionsModel)
    assert model.name == "openai:gpt-x"
    model.close()
    reranker = make_reranker(load(RERANK))
    assert isinstance(reranker, HttpReranker)
    assert "rerank-x" in reranker.name
    reranker.close()


@pytest.mark.parametrize(
    ("shape", "members"),
    [
        ("cohere", {"model", "query", "documents"}),
        ("jina", {"model", "query", "documents", "return_documents"}),
        ("llama_server", {"model", "query", "documents"}),
        ("tei", {"query", "texts"}),
        ("", {"model", "query", "documents"}),
    ],
)
def test_a_reranker_behind_http_is_asked_in_the_shape_that_is_set(
    shape: str, members: set[str]
) -> None:
    heard = Heard()
    with replying(heard) as url:
        made = make_reranker(load({**RERANK, "RERANKER_URL": url, "RERANKER_SHAPE": shape}))
        assert isinstance(made, HttpReranker)
        with pytest.raises(PalimpsestError):
            made.rerank("q", ["d"], timeout=5)
        made.close()
    (body,) = heard.bodies
    assert members <= body.keys()
    assert ("texts" in body) is (shape == "tei")


def test_the_key_of_an_api_is_read_from_the_secret_that_its_arn_names(secret: str) -> None:
    model = make_language_model(load({**CHAT, "LANGUAGE_MODEL_API_KEY_ARN": secret}))
    assert isinstance(model, ChatCompletionsModel)
    assert model._headers == {"Authorization": "Bearer sk-quite-secret"}
    model.close()
    reranker = make_reranker(load({**RERANK, "RERANKER_API_KEY_ARN": secret}))
    assert isinstance(reranker, HttpReranker)
    assert reranker._headers == {"Authorization": "Bearer sk-quite-secret"}
    reranker.close()


def test_without_an_arn_no_key_is_sent() -> None:
    model, reranker = make_language_model(load(CHAT)), make_reranker(load(RERANK))
    assert isinstance(model, ChatCompletionsModel)
    assert isinstance(reranker, HttpReranker)
    for made in (model, reranker):
        assert made._headers == {}
        made.close()


@pytest.mark.parametrize(
    ("environment", "missing"),
    [
        ({"LANGUAGE_MODEL": "bedrock"}, "LANGUAGE_MODEL_NAME"),
        ({"LANGUAGE_MODEL": "openai", "LANGUAGE_MODEL_URL": URL}, "LANGUAGE_MODEL_NAME"),
        ({"LANGUAGE_MODEL": "openai", "LANGUAGE_MODEL_NAME": "m"}, "LANGUAGE_MODEL_URL"),
        ({"RERANKER": "bedrock"}, "RERANKER_MODEL"),
        ({"RERANKER": "http", "RERANKER_URL": URL}, "RERANKER_MODEL"),
        ({"RERANKER": "http", "RERANKER_MODEL": "m"}, "RERANKER_URL"),
    ],
)
def test_what_is_missing_is_named(environment: dict[str, str], missing: str) -> None:
    settings = load(environment)
    with pytest.raises(SettingsError, match=f"^{missing} is not set$"):
        make_language_model(settings), make_reranker(settings)
