"""Language model over Amazon Bedrock's Converse API."""

import re
from typing import Any, Protocol

from botocore.parsers import ResponseParserError

from palimpsest.adapters.bedrock.embedding_models import REGION
from palimpsest.adapters.bedrock.failures import Operation, translated
from palimpsest.domain.clean import without_broken
from palimpsest.domain.errors import DeadlineExceeded, ProviderError
from palimpsest.domain.language import Completion, Prompt, Refused

STAGE = "rewrite"
REWRITING = Operation(STAGE)
TAKES_TEMPERATURE = re.compile(
    r"amazon\.(nova-(micro|lite|pro|premier)|titan-text)"
    r"|anthropic\.claude-(3|(haiku|sonnet|opus)-4-([1-6](-|$)|20\d{6}))"
    r"|(meta\.llama|mistral\.|cohere\.command-r)"
)
"""Models that surely take a temperature; Claude Opus 4.7 and what came after refuse it
(`ValidationException`: deprecated for this model), and the ARN of a profile tells no model.
"""
CUT = "max_tokens"
ENDED = {"end_turn", "stop_sequence", CUT}
DECLINED = {"guardrail_intervened", "content_filtered", "refusal"}
"""Values of `stopReason`; at any other there is no answer to use."""
MOST_TOKENS = 10**9
"""More than any request takes: a greater count is nonsense."""

UNREADABLE = (
    ResponseParserError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)
"""What botocore raises for an answer that is no JSON or has another shape."""


class ConverseRuntime(Protocol):
    """What is used of a boto3 `bedrock-runtime` client."""

    def converse(self, **request: Any) -> dict[str, Any]:
        """As boto3's."""
        ...


class ConverseModel:
    """A model or an inference profile, by its id or ARN.

    A request cannot be broken off: give the client a `read_timeout` shorter than any `timeout`
    here, and no retries. Only that there is time at all is looked at before asking. Broken
    characters are dropped from the prompt and from the answer.
    """

    def __init__(self, client: ConverseRuntime, *, model: str) -> None:
        name = REGION.sub("", model)
        self.name = f"bedrock:{name}"
        self._client = client
        self._id = model
        self._takes_temperature = TAKES_TEMPERATURE.match(name) is not None

    def complete(self, prompt: Prompt, *, timeout: float) -> Completion:
        """The model's answer."""
        if timeout <= 0:
            raise DeadlineExceeded("no time left to ask the language model", stage=STAGE)
        request = self._request(prompt)
        try:
            with translated(REWRITING):
                answer = self._client.converse(**request)
        except UNREADABLE as error:
            raise _nonsense() from error
        return _completion(answer)

    def _request(self, prompt: Prompt) -> dict[str, Any]:
        limits: dict[str, Any] = {"maxTokens": prompt.max_tokens}
        if self._takes_temperature:
            limits["temperature"] = 0.0
        user = [{"text": without_broken(prompt.user)}]
        request: dict[str, Any] = {
            "modelId": self._id,
            "messages": [{"role": "user", "content": user}],
            "inferenceConfig": limits,
        }
        system = without_broken(prompt.system)
        if system.strip():  # blank text is refused
            request["system"] = [{"text": system}]
        return request


def _completion(answer: dict[str, Any]) -> Completion:
    reason = answer.get("stopReason")
    if not isinstance(reason, str):
        raise _nonsense()
    if reason in DECLINED:
        raise Refused(f"Bedrock declined to answer ({reason})", stage=STAGE)
    if reason not in ENDED:
        raise ProviderError("Bedrock stopped before the end of an answer", stage=STAGE)
    text = without_broken("".join(_texts(answer)))
    return Completion(text=text, tokens=_tokens(answer.get("usage")), cut=reason == CUT)


def _texts(answer: dict[str, Any]) -> list[str]:
    """The texts of the message; its other blocks (reasoning, say) are no answer."""
    try:
        blocks = answer["output"]["message"]["content"]
        texts = [block["text"] for block in blocks if "text" in block]
    except (KeyError, TypeError) as error:
        raise _nonsense() from error
    if not isinstance(blocks, list) or not all(isinstance(text, str) for text in texts):
        raise _nonsense()
    return texts


def _tokens(usage: object) -> int:
    total = usage.get("totalTokens") if isinstance(usage, dict) else None
    if isinstance(total, int) and not isinstance(total, bool) and 0 <= total <= MOST_TOKENS:
        return total
    return 0


def _nonsense() -> ProviderError:
    return ProviderError("Bedrock answers what is no completion", stage=STAGE)
