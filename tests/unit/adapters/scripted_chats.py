"""A model over chat completions whose endpoint a test scripts. No sockets: httpx's own transport
for tests stands for the network.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx

from palimpsest.adapters.http_models import ChatCompletionsModel
from palimpsest.domain.language import Completion, Prompt

Handler = Callable[[httpx.Request], httpx.Response]
PROMPT = Prompt(system="Answer in JSON.", user="why is the kiln cold", max_tokens=50)


class Endpoint:
    """A model over an endpoint that a test scripts; it keeps the requests and the time, in which
    each request takes `slowness`.
    """

    def __init__(self) -> None:
        self.now = 100.0
        self.slowness = 0.0
        self.requests: list[dict[str, Any]] = []
        self.raw: list[httpx.Request] = []
        self.clients: list[httpx.Client] = []

    def model(
        self, handler: Handler, name: str = "some-model", url: str = "http://127.0.0.1:9/v1/"
    ) -> ChatCompletionsModel:
        def keep(request: httpx.Request) -> httpx.Response:
            self.requests.append(json.loads(request.content))
            self.raw.append(request)
            self.now += self.slowness
            return handler(request)

        self.clients.append(httpx.Client(transport=httpx.MockTransport(keep)))
        return ChatCompletionsModel(
            base_url=url,
            model=name,
            api_key="secret-key",
            client=self.clients[-1],
            monotonic=lambda: self.now,
        )

    def ask(self, handler: Handler, timeout: float = 5) -> Completion:
        return self.model(handler).complete(PROMPT, timeout=timeout)


@contextmanager
def scripted() -> Iterator[Endpoint]:
    made = Endpoint()
    yield made
    for client in made.clients:
        client.close()


def answering(body: object, status: int = 200, **headers: str) -> Handler:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return lambda _: httpx.Response(status, content=content, headers=headers)


def saying(message: object, reason: object = "stop", **more: object) -> Handler:
    return answering({"choices": [{"message": message, "finish_reason": reason}], **more})


def good(_: httpx.Request) -> httpx.Response:
    return saying({"content": "yes"})(_)


def refusing(*members: str, body: object = None, status: int = 400) -> Handler:
    """Refuses each of these members, naming it as OpenAI does unless `body` is given."""

    def handler(request: httpx.Request) -> httpx.Response:
        sent = json.loads(request.content)
        for member in members:
            if member in sent:
                error = {"message": "no", "param": member, "code": "unsupported_parameter"}
                return answering({"error": error} if body is None else body, status)(request)
        return good(request)

    return handler
