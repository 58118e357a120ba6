"""What the language model over Converse makes of failures, answers and requests. botocore is the
real one; what it would send is answered in this process.
"""

from typing import Any

import pytest
from botocore.exceptions import (
    ConnectionClosedError,
    ConnectTimeoutError,
    EndpointConnectionError,
    NoCredentialsError,
    ReadTimeoutError,
)

from contract.simulated_bedrock import Answer, bedrock_client
from palimpsest.adapters.bedrock import ConverseModel
from palimpsest.domain.errors import (
    DeadlineExceeded,
    PalimpsestError,
    ProviderError,
    Throttled,
    Unavailable,
)
from palimpsest.domain.language import Completion, Prompt, Refused

NOVA = "eu.amazon.nova-lite-v1:0"
PROMPT = Prompt(system="Answer in JSON.", user="why is the kiln cold", max_tokens=50)


def ask(answer: Any, model: str = NOVA, timeout: float = 5) -> Completion:
    return ConverseModel(bedrock_client(answer), model=model).complete(PROMPT, timeout=timeout)


def answering(body: Any) -> Any:
    return lambda _model, _body: (200, "", body)


def said(content: object, reason: object = "end_turn", **more: object) -> dict[str, Any]:
    message = {"role": "assistant", "content": content}
    return {"output": {"message": message}, "stopReason": reason, **more}


@pytest.mark.parametrize(
    ("code", "status", "error"),
    [
        ("ThrottlingException", 429, Throttled),
        ("TooManyRequestsException", 429, Throttled),
        ("ServiceQuotaExceededException", 400, Throttled),
        ("ServiceUnavailableException", 503, Unavailable),
        ("InternalServerException", 500, Unavailable),
        ("ModelNotReadyException", 429, Unavailable),
        ("ModelTimeoutException", 408, DeadlineExceeded),
        ("ValidationException", 400, ProviderError),
        ("UnrecognizedClientException", 401, ProviderError),
        ("AccessDeniedException", 403, ProviderError),
        ("ResourceNotFoundException", 404, ProviderError),
        ("RequestEntityTooLargeException", 413, ProviderError),
        ("ModelErrorException", 424, ProviderError),
        ("SomethingNew", 418, ProviderError),
    ],
)
def test_a_code_becomes_an_error_of_its_kind(
    code: str, status: int, error: type[PalimpsestError]
) -> None:
    asked = []

    def answer(_model: str, body: dict[str, Any]) -> Answer:
        asked.append(body)
        return status, code, {"message": "the text was: kiln"}

    with pytest.raises(error) as caught:
        ask(answer)
    assert type(caught.value) is error
    assert getattr(caught.value, "stage", "rewrite") == "rewrite"
    assert "kiln" not in str(caught.value)
    assert len(asked) == 1


@pytest.mark.parametrize(
    ("raised", "error"),
    [
        (EndpointConnectionError(endpoint_url="here"), Unavailable),
        (ConnectionClosedError(endpoint_url="here"), Unavailable),
        (ConnectTimeoutError(endpoint_url="here"), DeadlineExceeded),
        (ReadTimeoutError(endpoint_url="here"), DeadlineExceeded),
        (NoCredentialsError(), ProviderError),
    ],
)
def test_a_broken_connection_becomes_an_error_of_its_kind(
    raised: Exception, error: type[PalimpsestError]
) -> None:
    def answer(_model: str, _body: dict[str, Any]) -> Answer:
        raise raised

    with pytest.raises(error) as caught:
        ask(answer)
    assert type(caught.value) is error


@pytest.mark.parametrize(
    "body",
    [
        None,
        7,
        "text",
        [],
        {},
        {"stopReason": "end_turn"},
        {"output": {"message": {"content": [{"text": "a"}]}}},
        {"output": None, "stopReason": "end_turn"},
        {"output": [], "stopReason": "end_turn"},
        {"output": "text", "stopReason": "end_turn"},
        {"output": {}, "stopReason": "end_turn"},
        {"output": {"message": None}, "stopReason": "end_turn"},
        {"output": {"message": []}, "stopReason": "end_turn"},
        {"output": {"message": {}}, "stopReason": "end_turn"},
        said(None),
        said("text"),
        said({"text": "a"}),
        said(7),
        said(["text"]),
        said([None]),
        said([[]]),
        said([{"text": 7}]),
        said([{"text": None}]),
        said([{"text": float("nan")}]),
        said([{"text": {}}]),
        said([{"text": "a", "reasoningContent": {}}]),
        said([{"text": "a"}], None),
        said([{"text": "a"}], 7),
        said([{"text": "a"}], ["end_turn"]),
        said([{"text": "a"}], "malformed_model_output"),
        said([{"text": "a"}], "tool_use"),
        said([{"text": "a"}], "model_context_window_exceeded"),
        said([{"text": "a"}], "something_new"),
    ],
)
def test_an_answer_of_another_shape_fails_the_call(body: Any) -> None:
    with pytest.raises(ProviderError) as caught:
        ask(answering(body))
    assert type(caught.value) is ProviderError
    assert caught.value.stage == "rewrite"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>",
        b"\xff\xfe",
        b'{"output": {"message": {"content": [{"te',
        b"[" * 100_000,
        b'{"output": ' * 50_000,
        b"NaN",
        b'{"stopReason": "end_turn", "usage": {"totalTokens": ' + b"9" * 5_000 + b"}}",
    ],
)
def test_an_answer_that_is_no_json_fails_the_call(body: bytes) -> None:
    with pytest.raises(ProviderError) as caught:
        ask(answering(body))
    assert type(caught.value) is ProviderError


@pytest.mark.parametrize("body", [b"", b"<html>kiln", b"[1]", b"[" * 100_000, b'{"message": 7}'])
@pytest.mark.parametrize("status", [400, 503])
def test_a_failure_is_one_whatever_its_body(body: bytes, status: int) -> None:
    with pytest.raises((ProviderError, Unavailable)) as caught:
        ask(lambda _model, _body: (status, "", body))
    assert "kiln" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ([{"text": "yes"}], "yes"),
        ([{"text": ""}], ""),
        ([], ""),
        ({}, ""),
        ([{"text": "y"}, {"text": "es"}], "yes"),
        ([{"reasoningContent": {"reasoningText": {"text": "hm"}}}, {"text": "yes"}], "yes"),
        ([{"reasoningContent": {"reasoningText": {"text": "hm"}}}], ""),
        ([{"somethingNew": {"text": "hm"}}, {"text": "yes"}], "yes"),
        ([{"text": "half \ud83c of \0 one"}], "half  of  one"),
    ],
)
def test_the_answer_is_the_text_and_nothing_beside_it(content: object, text: str) -> None:
    assert ask(answering(said(content))).text == text


@pytest.mark.parametrize(
    ("reason", "cut"), [("end_turn", False), ("stop_sequence", False), ("max_tokens", True)]
)
def test_only_an_answer_that_met_its_limit_is_cut(reason: str, *, cut: bool) -> None:
    assert ask(answering(said([{"text": "yes"}], reason))).cut is cut


@pytest.mark.parametrize("reason", ["guardrail_intervened", "content_filtered", "refusal"])
@pytest.mark.parametrize("content", [[], [{"text": "I can't help"}]])
def test_a_refusal_by_the_model_or_a_guardrail_is_told_apart(reason: str, content: object) -> None:
    with pytest.raises(Refused) as caught:
        ask(answering(said(content, reason)))
    assert caught.value.stage == "rewrite"
    assert "help" not in str(caught.value)


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        ({"inputTokens": 5, "outputTokens": 7, "totalTokens": 12}, 12),
        ({"totalTokens": 0}, 0),
        ({"totalTokens": -1}, 0),
        ({"totalTokens": 10**15}, 0),
        ({"totalTokens": 10**400}, 0),
        ({"inputTokens": 5}, 0),
        ({}, 0),
        (None, 0),
    ],
)
def test_tokens_are_counted_where_bedrock_tells_them(usage: object, tokens: int) -> None:
    completion = ask(answering(said([{"text": "yes"}], usage=usage)))
    assert completion == Completion(text="yes", tokens=tokens)


@pytest.mark.parametrize("usage", [[], "12", {"totalTokens": "many"}, {"totalTokens": [1]}])
def test_a_count_that_botocore_cannot_read_fails_the_call(usage: object) -> None:
    with pytest.raises(ProviderError):
        ask(answering(said([{"text": "yes"}], usage=usage)))
