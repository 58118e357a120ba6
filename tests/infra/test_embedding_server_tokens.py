"""How the local embedding server counts tokens."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

import httpx
import pytest

from contract.serving import embedding_server
from local.embedding_backend import EmbedderBackend
from palimpsest.adapters.simulated import SimulatedEmbedder
from palimpsest.domain.errors import PalimpsestError, Unavailable

MODEL = "simulated"


class Failing(EmbedderBackend):
    """A model whose tokenizer fails as a test wants it to."""

    def __init__(self, failure: PalimpsestError) -> None:
        super().__init__(SimulatedEmbedder(dimension=8), name=MODEL)
        self._failure = failure

    def count_tokens(self, texts: Sequence[str]) -> list[int]:  # noqa: ARG002  # never counts
        raise self._failure


@pytest.fixture
def client() -> Iterator[httpx.Client]:
    backend = EmbedderBackend(SimulatedEmbedder(dimension=8), name=MODEL, max_tokens=256)
    with (
        embedding_server(backend) as url,
        httpx.Client(base_url=url, trust_env=False) as made,
    ):
        yield made


def tokenize(client: httpx.Client, **body: Any) -> httpx.Response:
    content = json.dumps({"model": MODEL, "add_special_tokens": False, **body})
    return client.post("/tokenize", content=content)


def test_each_text_has_its_count_and_the_model_s_limit_is_told(client: httpx.Client) -> None:
    answer = tokenize(client, prompt=["one two three", "", " ", "one"])
    assert answer.json() == {"count": [3, 0, 0, 1], "max_model_len": 256}
    assert tokenize(client, prompt="one two").json()["count"] == [2]


@pytest.mark.parametrize(
    ("body", "status", "param", "code"),
    [
        ({"prompt": "a", "model": "other"}, 404, "model", "model_not_found"),
        ({"prompt": []}, 400, "prompt", "invalid_length"),
        ({"prompt": ["a"] * 2049}, 400, "prompt", "invalid_length"),
        ({"prompt": [[1, 2]]}, 400, "prompt", "invalid_type"),
        ({"input": "a"}, 400, "prompt", "invalid_type"),
        ({"prompt": "a\ud800"}, 400, "prompt", "invalid_unicode"),
        (
            {"prompt": "a", "add_special_tokens": True},
            400,
            "add_special_tokens",
            "unsupported_value",
        ),
    ],
)
def test_a_wrong_request_is_answered_with_an_error_object(
    client: httpx.Client, body: dict[str, Any], status: int, param: str, code: str
) -> None:
    answer = tokenize(client, **body)
    assert answer.status_code == status
    error = answer.json()["error"]
    assert (error["type"], error["param"], error["code"]) == ("invalid_request_error", param, code)


def test_other_methods_and_what_is_no_json_are_refused(client: httpx.Client) -> None:
    assert client.get("/tokenize").status_code == 405
    assert client.post("/tokenize", content=b"[]").json()["error"]["code"] == "invalid_json"


def test_a_failure_of_the_tokenizer_has_its_status() -> None:
    with (
        embedding_server(Failing(Unavailable("no", stage="embed"))) as url,
        httpx.Client(base_url=url, trust_env=False) as client,
    ):
        assert tokenize(client, prompt="a").status_code == 503
