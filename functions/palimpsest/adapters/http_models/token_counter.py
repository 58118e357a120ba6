"""Counter of tokens over an endpoint that tells how many tokens a model makes of a text."""

import time
from collections.abc import Sequence

import httpx

from palimpsest.adapters.http_models.wire import Endpoint, Monotonic, own_client, post
from palimpsest.domain.batching import batched
from palimpsest.domain.clean import without_broken
from palimpsest.domain.errors import ProviderError, Throttled, Unavailable

STAGE = "tokenize"
ENDPOINT = Endpoint(STAGE, "the endpoint that counts tokens")

TEXTS, BYTES = 1_024, 1024 * 1024
"""Of a request; a text that is longer goes alone."""
SECONDS = 10.0
"""For one request."""


class HttpTokenCounter:
    """A model behind `{base_url}/tokenize`, as SGLang and the project's own embedding server have
    it: a list of texts (`prompt`) is answered with a list of counts (`count`).

    Nothing is asked twice, and whatever goes wrong is `Unavailable`. `client` stays the caller's;
    without one the counter makes its own, which `close` closes.
    """

    def __init__(
        self,
        *,
        base_url: str,
        model: str,
        api_key: str | None = None,
        client: httpx.Client | None = None,
        timeout: float = SECONDS,
        monotonic: Monotonic = time.monotonic,
    ) -> None:
        self._url, self._model, self._timeout = f"{base_url.rstrip('/')}/tokenize", model, timeout
        self._headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        self._client = client or own_client(base_url)
        self._owns_client = client is None
        self._monotonic = monotonic

    def close(self) -> None:
        """Close the connections, if they are this counter's own."""
        if self._owns_client:
            self._client.close()

    def count(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, in order."""
        batches = batched(
            map(without_broken, texts), most=TEXTS, size=BYTES, size_of=lambda t: len(t.encode())
        )
        return [count for batch in batches for count in self._counts(batch)]

    def _counts(self, batch: list[str]) -> list[int]:
        body = {"model": self._model, "prompt": batch, "add_special_tokens": False}
        try:
            answer = post(
                self._client,
                self._url,
                body,
                endpoint=ENDPOINT,
                headers=self._headers,
                deadline=self._monotonic() + self._timeout,
                monotonic=self._monotonic,
            )
            return _checked(answer.get("count"), len(batch))
        except (ProviderError, Throttled) as error:
            after = error.retry_after
            raise Unavailable(str(error), stage=STAGE, retry_after=after) from error


def _checked(counts: object, wanted: int) -> list[int]:
    """The counts, if there is one for each text."""
    if not isinstance(counts, list) or len(counts) != wanted:
        raise ENDPOINT.nonsense("another number of counts than it was sent texts")
    if not all(type(count) is int and count >= 0 for count in counts):
        raise ENDPOINT.nonsense("what is no count")
    return counts
