"""Language model over any endpoint in the shape of OpenAI's chat completions API."""

import threading
import time
from dataclasses import replace
from typing import Any

import httpx

from palimpsest.adapters.http_models.chat_answer import completion, declined
from palimpsest.adapters.http_models.chat_form import RequestForm, is_declined
from palimpsest.adapters.http_models.wire import (
    OK,
    Answer,
    Endpoint,
    Monotonic,
    accepted,
    exchange,
    own_client,
)
from palimpsest.domain.clean import without_broken
from palimpsest.domain.language import Completion, Prompt

ENDPOINT = Endpoint(stage="rewrite", name="the language model's endpoint")


class ChatCompletionsModel:
    """A model behind `{base_url}/chat/completions`: OpenAI, vLLM, llama-server, Ollama and others.

    They do not take the same members. One that is refused (400, 422) is left out of one more
    request within the same `timeout` (four requests at most), and of every later one once that is
    answered; nothing else is asked twice. Broken characters are dropped from the prompt and from
    the answer. `client` stays the caller's; without one the model makes its own, which `close`
    closes.
    """

    def __init__(
        self,
        *,
        base_url: str,
        model: str,
        api_key: str | None = None,
        client: httpx.Client | None = None,
        monotonic: Monotonic = time.monotonic,
    ) -> None:
        self.name = f"openai:{model}"
        self._url = f"{base_url.rstrip('/')}/chat/completions"
        self._headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        self._form = RequestForm(base_url=base_url, model=model)
        self._refused = self._form.refused_from_the_start
        self._lock = threading.Lock()
        self._client = client or own_client(base_url)
        self._owns_client = client is None
        self._monotonic = monotonic

    def close(self) -> None:
        """Close the connections, if they are this model's own."""
        if self._owns_client:
            self._client.close()

    def complete(self, prompt: Prompt, *, timeout: float) -> Completion:
        """The model's answer."""
        deadline = self._monotonic() + timeout
        sent = replace(
            prompt, system=without_broken(prompt.system), user=without_broken(prompt.user)
        )
        answer = self._persist(sent, deadline)
        if is_declined(answer):
            raise declined(ENDPOINT)
        return completion(ENDPOINT, accepted(ENDPOINT, answer))

    def _persist(self, prompt: Prompt, deadline: float) -> Answer:
        """The answer to a request of members that the endpoint takes, or its last refusal."""
        refused = self._refused
        while True:
            body = self._form.body(prompt, refused=refused)
            answer = self._exchange(body, deadline)
            member = self._form.member_refused(answer, body)
            if member is None:
                break
            refused |= {member}
        if answer.status == OK:
            with self._lock:
                self._refused |= refused
        return answer

    def _exchange(self, body: dict[str, Any], deadline: float) -> Answer:
        return exchange(
            self._client,
            self._url,
            body,
            endpoint=ENDPOINT,
            headers=self._headers,
            deadline=deadline,
            monotonic=self._monotonic,
        )
