"""What an answer in the shape of OpenAI's chat completions says."""

from typing import Any

from palimpsest.adapters.http_models.wire import Endpoint
from palimpsest.domain.clean import without_broken
from palimpsest.domain.language import Completion, Refused

TEXT_PARTS = ("text", "output_text")
MOST_TOKENS = 10**9
"""More than any request takes: a greater count is nonsense."""


def completion(endpoint: Endpoint, answer: dict[str, Any]) -> Completion:
    """The first choice. Null content is blank; reasoning is left out, whether in a member or a part
    of its own. Raises `Refused` where the model or a filter declined, `ProviderError` for another
    shape.
    """
    choices = answer.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        raise endpoint.nonsense("no message")
    reason = choice.get("finish_reason")
    if reason == "content_filter" or message.get("refusal"):
        raise declined(endpoint)
    text = without_broken(_text(endpoint, message.get("content")))
    return Completion(text=text, tokens=_tokens(answer.get("usage")), cut=reason == "length")


def declined(endpoint: Endpoint) -> Refused:
    """The error of a model that will not answer."""
    return Refused(f"{endpoint.name} declined to answer", stage=endpoint.stage)


def _text(endpoint: Endpoint, content: object) -> str:
    if content is None or isinstance(content, str):
        return content or ""
    if not isinstance(content, list):
        raise endpoint.nonsense("content that is no text")
    return "".join(_part(endpoint, part) for part in content)


def _part(endpoint: Endpoint, part: object) -> str:
    if not isinstance(part, dict):
        raise endpoint.nonsense("content that is no text")
    if part.get("type") == "refusal":
        raise declined(endpoint)
    if part.get("type") not in TEXT_PARTS:
        return ""
    text = part.get("text")
    if not isinstance(text, str):
        raise endpoint.nonsense("content that is no text")
    return text


def _tokens(usage: object) -> int:
    if not isinstance(usage, dict):
        return 0
    total = _count(usage.get("total_tokens"))
    if total is not None:
        return total
    read, written = (_count(usage.get(f"{kind}_tokens")) for kind in ("prompt", "completion"))
    return 0 if read is None or written is None else read + written


def _count(value: object) -> int | None:
    """A count that can be; None for any other value."""
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_TOKENS:
        return value
    return None
