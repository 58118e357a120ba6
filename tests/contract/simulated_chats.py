"""Chat completions as the vendors answer them; each class is one vendor's manner."""

import json
from typing import Any

from contract.language_model_contract import answered
from contract.serving import Reply

USAGE = {"prompt_tokens": 5, "completion_tokens": 7, "total_tokens": 12}


def refusal(message: str, *, param: str | None = None, code: str | None = None) -> Reply:
    """OpenAI's 400."""
    error = {"message": message, "type": "invalid_request_error", "param": param, "code": code}
    return 400, {}, json.dumps({"error": error}).encode()


class SimulatedChats:
    """OpenAI's chat models; `requests` are the bodies it got."""

    limit = "max_tokens"

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []

    def __call__(self, body: dict[str, Any]) -> Reply:
        self.requests.append(body)
        return self.objection(body) or self._answer(body)

    def objection(self, body: dict[str, Any]) -> Reply | None:
        """A refusal of the request's form."""
        if "response_format" in body and "json" not in json.dumps(body["messages"]).lower():
            return refusal("'messages' must contain the word 'json'", param="messages")
        return None

    def message(self, text: str | None) -> dict[str, Any]:
        """The message of an answer; None: it declines."""
        declined = None if text is not None else "I'm sorry, I can't help with that."
        return {"role": "assistant", "content": text, "refusal": declined}

    def _answer(self, body: dict[str, Any]) -> Reply:
        text = answered(body["messages"][-1]["content"])
        most = body[self.limit] * 4
        cut = text is not None and len(text) > most
        choice = {
            "index": 0,
            "message": self.message(text[:most] if text is not None else None),
            "finish_reason": "length" if cut else "stop",
        }
        return 200, {}, json.dumps({"choices": [choice], "usage": USAGE}).encode()


class SimulatedReasoning(SimulatedChats):
    """OpenAI's reasoning models under a name that does not tell."""

    limit = "max_completion_tokens"

    def objection(self, body: dict[str, Any]) -> Reply | None:
        if "max_tokens" in body:
            message = (
                "Unsupported parameter: 'max_tokens' is not supported with this model."
                " Use 'max_completion_tokens' instead."
            )
            return refusal(message, param="max_tokens", code="unsupported_parameter")
        if "temperature" in body:
            message = (
                "Unsupported value: 'temperature' does not support 0 with this model."
                " Only the default (1) value is supported."
            )
            return refusal(message, param="temperature", code="unsupported_value")
        return super().objection(body)


class SimulatedLmStudio(SimulatedChats):
    """LM Studio, whose errors are texts and whose JSON needs a schema."""

    def objection(self, body: dict[str, Any]) -> Reply | None:
        if "response_format" in body:
            error = "'response_format.type' must be 'json_schema' or 'text'"
            return 400, {}, json.dumps({"error": error}).encode()
        return None

    def message(self, text: str | None) -> dict[str, Any]:
        declined = [{"type": "refusal", "refusal": "no"}]
        return {"role": "assistant", "content": text if text is not None else declined}


class SimulatedParts(SimulatedChats):
    """Content in parts, as Mistral's, with reasoning beside it, as vLLM's."""

    def message(self, text: str | None) -> dict[str, Any]:
        if text is None:
            return {"content": [{"type": "refusal", "refusal": "no"}]}
        thought = {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}
        halves = [text[: len(text) // 2], text[len(text) // 2 :]]
        parts = [{"type": "text", "text": half} for half in halves]
        return {"content": [thought, *parts], "reasoning_content": "hm", "tool_calls": []}


class SimulatedAzure(SimulatedChats):
    """Azure, whose filter stops a prompt before the model."""

    def objection(self, body: dict[str, Any]) -> Reply | None:
        if answered(body["messages"][-1]["content"]) is None:
            return refusal("The response was filtered", param="prompt", code="content_filter")
        return super().objection(body)
