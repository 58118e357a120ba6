"""An embedding server with bad days: the simulated embedder behind HTTP, which refuses connections
until it is told to listen, and answers some calls with 429.
"""

import json
import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from e2e.changed_functions import changed
from palimpsest.adapters.simulated import SimulatedEmbedder
from palimpsest.domain.embedding import Embedded
from stack import LocalStack

DIMENSION = 256
"""Of the stack's own simulated embedder, so that either may embed what the other compares."""

RETRY_AFTER_S = 1
BEHIND_IT = ("IngestFunctionName", "ProjectorFunctionName")
_SECONDS = 10


class EmbeddingDouble(ThreadingHTTPServer):
    """Refuses every connection on its port of 127.0.0.1 but within `listening`. This `share` of its
    answers is 429 with `Retry-After`; `answered` and `throttled` count both kinds.
    """

    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, *, share: float = 0.0, seed: int = 0) -> None:
        super().__init__(("127.0.0.1", 0), _Handler, bind_and_activate=False)
        self.server_bind()  # so nobody else has the port
        self.answered = self.throttled = 0
        self._embedder = SimulatedEmbedder(dimension=DIMENSION)
        self._share, self._chance = share, random.Random(seed)
        self._lock = threading.Lock()

    @property
    def variables(self) -> dict[str, str]:
        """What makes a function use it."""
        url = f"http://127.0.0.1:{self.server_address[1]}/v1"
        return {"EMBEDDER": "openai", "EMBEDDING_URL": url, "EMBEDDING_MODEL": "simulated"}

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Meanwhile calls are answered."""
        self.server_activate()
        thread = threading.Thread(target=self.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield
        finally:
            self.shutdown()
            thread.join()

    def embed(self, texts: list[str]) -> list[list[float]] | None:
        """A vector of each text; None: not now."""
        with self._lock:
            if self._chance.random() < self._share:
                self.throttled += 1
                return None
            self.answered += 1
        made = self._embedder.embed_passages(texts, timeout=_SECONDS)
        return [list(one.vector) for one in made if isinstance(one, Embedded)]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # an answer is one packet
    disable_nagle_algorithm = True
    server: EmbeddingDouble

    def do_POST(self) -> None:
        length = int(self.headers.get("content-length") or 0)
        vectors = self.server.embed(json.loads(self.rfile.read(length))["input"])
        if vectors is None:
            self._send(HTTPStatus.TOO_MANY_REQUESTS, {"error": {"message": "too many"}})
            return
        data = [{"index": place, "embedding": vector} for place, vector in enumerate(vectors)]
        self._send(HTTPStatus.OK, {"data": data})

    def _send(self, status: HTTPStatus, answer: Any) -> None:
        body = json.dumps(answer).encode()
        self.send_response_only(status)
        if status is HTTPStatus.TOO_MANY_REQUESTS:
            self.send_header("Retry-After", str(RETRY_AFTER_S))
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # the base's own name
        pass


@contextmanager
def embedding_behind(stack: LocalStack, double: EmbeddingDouble) -> Iterator[None]:
    """Meanwhile the stack's documents and records are embedded by this server; closed after."""
    try:
        with changed(stack, *BEHIND_IT, variables=double.variables):
            yield
    finally:
        double.server_close()
