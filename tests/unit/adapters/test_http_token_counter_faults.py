"""A counter of tokens whose endpoint misbehaves."""

import json
from typing import Any

import httpx
import pytest

from palimpsest.adapters.http_models.token_counter import TEXTS, HttpTokenCounter
from palimpsest.domain.errors import DeadlineExceeded, Unavailable


def counter(answer: Any, *, status: int = 200, headers: dict[str, str] | None = None) -> Any:
    def reply(_request: httpx.Request) -> httpx.Response:
        return httpx.Response(status, json=answer, headers=headers or {})

    client = httpx.Client(transport=httpx.MockTransport(reply))
    return HttpTokenCounter(base_url="http://127.0.0.1:1/v1", model="m", client=client)


@pytest.mark.parametrize(
    "answer",
    [
        [],
        {},
        {"count": 2},
        {"count": [2]},
        {"count": [2, 3, 4]},
        {"count": [2, -1]},
        {"count": [2, "3"]},
        {"count": [2, True]},
        {"count": [2, 1.5]},
    ],
)
def test_an_answer_without_a_count_for_each_text_is_none(answer: Any) -> None:
    with pytest.raises(Unavailable) as caught:
        counter(answer).count(["one", "two"])
    assert caught.value.stage == "tokenize"


@pytest.mark.parametrize(("status", "after"), [(429, 7.0), (500, 7.0), (404, 1.0), (413, 1.0)])
def test_every_refusal_is_an_outage(status: int, after: float) -> None:
    asked = counter({}, status=status, headers={"Retry-After": "7"})
    with pytest.raises(Unavailable) as caught:
        asked.count(["one secret text"])
    assert caught.value.retry_after == after
    assert "secret" not in str(caught.value)


def test_an_endpoint_that_is_not_there_or_late_is_an_outage() -> None:
    def refuse(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused", request=request)

    def dawdle(request: httpx.Request) -> httpx.Response:
        raise httpx.ReadTimeout("late", request=request)

    for reply, kind in ((refuse, Unavailable), (dawdle, DeadlineExceeded)):
        client = httpx.Client(transport=httpx.MockTransport(reply))
        asked = HttpTokenCounter(base_url="http://127.0.0.1:1/v1", model="m", client=client)
        with pytest.raises(kind):
            asked.count(["one"])
        asked.close()
        assert not client.is_closed


def test_requests_are_bounded_and_say_what_the_endpoint_needs() -> None:
    sent: list[httpx.Request] = []

    def reply(request: httpx.Request) -> httpx.Response:
        sent.append(request)
        texts = json.loads(request.content)["prompt"]
        return httpx.Response(200, json={"count": [len(text) for text in texts]})

    client = httpx.Client(transport=httpx.MockTransport(reply))
    asked = HttpTokenCounter(
        base_url="http://127.0.0.1:1/v1/", model="m", api_key="k", client=client
    )
    texts = ["x" * (number % 7) for number in range(2 * TEXTS + 1)]
    assert asked.count([*texts, "y" * 3_000_000]) == [*map(len, texts), 3_000_000]
    assert [len(json.loads(one.content)["prompt"]) for one in sent] == [TEXTS, TEXTS, 1, 1]
    assert {(one.url.path, one.headers["Authorization"]) for one in sent} == {
        ("/v1/tokenize", "Bearer k")
    }
    body = json.loads(sent[2].content)
    assert body == {"model": "m", "prompt": [texts[-1]], "add_special_tokens": False}
