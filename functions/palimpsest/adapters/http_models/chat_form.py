"""The request of a chat completion, made of the members that its endpoint takes."""

import json
import re
from typing import Any
from urllib.parse import urlsplit

from palimpsest.adapters.http_models.wire import Answer
from palimpsest.domain.language import Prompt

OLD_LIMIT, NEW_LIMIT = "max_tokens", "max_completion_tokens"
TEMPERATURE, FORMAT = "temperature", "response_format"
OPENAI = "api.openai.com"
REASONING = re.compile(r"(?:^|[/:])(?:o[1-9]|gpt-[5-9])(?![a-z0-9])")
"""Names of OpenAI's reasoning models, with or without a router's or a tuner's prefix. They take
neither the old limit nor a temperature (error codes `unsupported_parameter`, `unsupported_value`).
"""
DECLINED = {"content_filter", "content_policy_violation", "invalid_prompt"}
"""Error codes of a prompt that a filter stopped: Azure's and OpenAI's."""
NOT_OF_MEMBERS = DECLINED | {"context_length_exceeded", "json_validate_failed"}
"""Error codes that no member left out would mend."""
MEMBER_REFUSED = {400, 422}


class RequestForm:
    """What one model of one endpoint is sent.

    OpenAI's own endpoint takes `max_completion_tokens` for every model. Elsewhere `max_tokens` is
    sent, but to OpenAI's reasoning models: Ollama and older servers pass over the new name in
    silence, and their answers then have no limit.
    """

    def __init__(self, *, base_url: str, model: str) -> None:
        reasons = REASONING.search(model) is not None
        newer = reasons or urlsplit(base_url).hostname == OPENAI
        self._model = model
        self._limits = (NEW_LIMIT, OLD_LIMIT) if newer else (OLD_LIMIT, NEW_LIMIT)
        self.refused_from_the_start = frozenset({TEMPERATURE} if reasons else ())

    def body(self, prompt: Prompt, *, refused: frozenset[str]) -> dict[str, Any]:
        """The request without the members in `refused`; the limit has its other name then.

        JSON is asked for only where the prompt speaks of it: OpenAI refuses it otherwise, and other
        servers answer with whitespace up to the limit.
        """
        system = [{"role": "system", "content": prompt.system}] if prompt.system else []
        messages = [*system, {"role": "user", "content": prompt.user}]
        wanted: dict[str, Any] = {TEMPERATURE: 0}
        if "json" in f"{prompt.system}\n{prompt.user}".casefold():
            wanted[FORMAT] = {"type": "json_object"}
        preferred, other = self._limits
        return {
            "model": self._model,
            "messages": messages,
            other if preferred in refused else preferred: prompt.max_tokens,
            **{name: value for name, value in wanted.items() if name not in refused},
        }

    def member_refused(self, answer: Answer, body: dict[str, Any]) -> str | None:
        """The member of `body` to leave out for one more try; None where there is none.

        It is the one that the refusal names, and where it names none, the wish for JSON. What is
        left out can only be refused once, so tries end.
        """
        if answer.status not in MEMBER_REFUSED:
            return None
        present = [name for name in (FORMAT, TEMPERATURE, *self._limits) if name in body]
        removable = [name for name in present if name != self._limits[1]]
        error = _error(answer.data)
        code, param = error.get("code"), error.get("param")
        if isinstance(code, str) and code in NOT_OF_MEMBERS:
            return None
        if isinstance(param, str) and param:
            name = re.split(r"[.\[]", param)[0]
            return name if name in removable else None
        text = answer.data.decode(errors="replace")
        named = [name for name in present if re.search(rf"\b{name}\b", text)] or [FORMAT]
        return next((name for name in named if name in removable), None)


def is_declined(answer: Answer) -> bool:
    """Whether a failure says that a filter stopped the prompt."""
    code = _error(answer.data).get("code") if answer.status in MEMBER_REFUSED else None
    return isinstance(code, str) and code in DECLINED


def _error(data: bytes) -> dict[str, Any]:
    """The error's members, under `error` (OpenAI, Azure) or beside it (older vLLM); none where it
    is a text (Ollama, LM Studio) or no JSON.
    """
    try:
        answer = json.loads(data)
    except (ValueError, RecursionError):
        return {}
    error = answer.get("error", answer) if isinstance(answer, dict) else None
    return error if isinstance(error, dict) else {}
