"""What the language model over chat completions makes of answers, in each vendor's shape and in
none.
"""

from collections.abc import Iterator

import pytest

from palimpsest.domain.errors import ProviderError
from palimpsest.domain.language import Completion, Refused
from unit.adapters.scripted_chats import Endpoint, Handler, answering, saying, scripted

HUGE = 10**400


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with scripted() as made:
        yield made


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>",
        b'{"choices": [{"message": {"content": "half',
        b"\xff\xfe{}",
        b"[" * 100_000,
        b'{"choices":' + b'[{"message":' * 50_000,
        b"NaN",
        b"null",
        b"7",
        b'"text"',
        [],
        {},
        {"error": {"message": "no", "code": 502}},
        {"choices": None},
        {"choices": []},
        {"choices": {}},
        {"choices": "text"},
        {"choices": [None]},
        {"choices": ["text"]},
        {"choices": [[]]},
        {"choices": [{}]},
        {"choices": [{"text": "of the older API"}]},
        {"choices": [{"message": None}]},
        {"choices": [{"message": "text"}]},
        {"choices": [{"message": ["text"]}]},
        {"choices": [{"message": {"content": 7}}]},
        {"choices": [{"message": {"content": True}}]},
        {"choices": [{"message": {"content": False}}]},
        {"choices": [{"message": {"content": float("nan")}}]},
        {"choices": [{"message": {"content": {"text": "a"}}}]},
        {"choices": [{"message": {"content": ["a"]}}]},
        {"choices": [{"message": {"content": [None]}}]},
        {"choices": [{"message": {"content": [{"type": "text"}]}}]},
        {"choices": [{"message": {"content": [{"type": "text", "text": None}]}}]},
        {"choices": [{"message": {"content": [{"type": "text", "text": 7}]}}]},
    ],
)
def test_an_answer_of_another_shape_fails_the_call(endpoint: Endpoint, body: object) -> None:
    with pytest.raises(ProviderError) as caught:
        endpoint.ask(answering(body))
    assert type(caught.value) is ProviderError
    assert caught.value.stage == "rewrite"
    assert len(endpoint.requests) == 1


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ({"content": '{"a": 1}'}, '{"a": 1}'),
        ({"content": ""}, ""),
        ({"content": None}, ""),
        ({}, ""),
        ({"content": None, "reasoning_content": "because"}, ""),
        ({"content": "yes", "reasoning_content": "because", "reasoning": "so"}, "yes"),
        ({"content": "yes", "refusal": None}, "yes"),
        ({"content": "yes", "refusal": ""}, "yes"),
        ({"content": []}, ""),
        ({"content": [{"type": "text", "text": "y"}, {"type": "text", "text": "es"}]}, "yes"),
        ({"content": [{"type": "thinking", "thinking": []}, {"type": "text", "text": "a"}]}, "a"),
        ({"content": [{"type": ["odd"]}, {"text": "no type"}, {"type": "image_url"}]}, ""),
        ({"content": "half \ud83c of \0 one"}, "half  of  one"),
    ],
)
def test_the_answer_is_the_text_and_nothing_beside_it(
    endpoint: Endpoint, message: object, text: str
) -> None:
    assert endpoint.ask(saying(message)).text == text


@pytest.mark.parametrize(
    ("reason", "cut"), [("stop", False), (None, False), ("length", True), (["odd"], False)]
)
def test_only_an_answer_that_met_its_limit_is_cut(
    endpoint: Endpoint, reason: object, *, cut: bool
) -> None:
    assert endpoint.ask(saying({"content": "yes"}, reason)).cut is cut


@pytest.mark.parametrize(
    "handler",
    [
        saying({"content": None, "refusal": "I can't help with that"}),
        saying({"content": "I ca", "refusal": "I can't help with that"}),
        saying({"content": "half an ans"}, "content_filter"),
        saying({"content": None}, "content_filter"),
        saying({"content": [{"type": "refusal", "refusal": "no"}]}),
        answering({"error": {"code": "content_filter", "param": "prompt"}}, 400),
        answering({"error": {"code": "invalid_prompt", "message": "flagged"}}, 400),
    ],
)
def test_a_refusal_by_the_model_or_a_filter_is_told_apart(
    endpoint: Endpoint, handler: Handler
) -> None:
    with pytest.raises(Refused) as caught:
        endpoint.ask(handler)
    assert caught.value.stage == "rewrite"
    assert "help" not in str(caught.value)
    assert len(endpoint.requests) == 1


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        ({"total_tokens": 12, "prompt_tokens": 1, "completion_tokens": 2}, 12),
        ({"total_tokens": 0}, 0),
        ({"prompt_tokens": 5, "completion_tokens": 7}, 12),
        ({"total_tokens": None, "prompt_tokens": 5, "completion_tokens": 7}, 12),
        ({"total_tokens": -1, "prompt_tokens": 5, "completion_tokens": 7}, 12),
        ({"prompt_tokens": 5}, 0),
        ({"total_tokens": "12"}, 0),
        ({"total_tokens": True}, 0),
        ({"total_tokens": 1.5}, 0),
        ({"total_tokens": float("nan")}, 0),
        ({"total_tokens": float("inf")}, 0),
        ({"total_tokens": HUGE}, 0),
        ({"total_tokens": 10**15}, 0),
        ({"prompt_tokens": HUGE, "completion_tokens": 7}, 0),
        ({}, 0),
        ([], 0),
        (None, 0),
        ("12", 0),
    ],
)
def test_tokens_are_counted_where_the_endpoint_tells_them(
    endpoint: Endpoint, usage: object, tokens: int
) -> None:
    completion = endpoint.ask(saying({"content": "yes"}, usage=usage))
    assert completion == Completion(text="yes", tokens=tokens)


def test_integers_of_absurd_length_do_no_harm(endpoint: Endpoint) -> None:
    body = b'{"choices": [{"message": {"content": "yes"}}], "created": ' + b"9" * 10_000 + b"}"
    assert endpoint.ask(answering(body)).text == "yes"
