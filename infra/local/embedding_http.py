"""The embedding server's HTTP: a thread a connection, on the loopback only."""

import json
import math
import select
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from local import embedding_requests as requests
from local.embedding_backend import Backend, Lanes, Purpose, Recent, Served
from local.embedding_requests import MOST_BYTES, Refusal, Wanted
from palimpsest.domain.errors import EmbeddingRejected, PalimpsestError, Throttled, Unavailable

LOOPBACK = "127.0.0.1"
IDLE_SECONDS = 120  # a kept connection without a request is closed
ROUTES = {
    "/v1/embeddings": "POST",
    "/v1/tokenize": "POST",
    "/v1/models": "GET",
    "/health": "GET",
}


class EmbeddingServer(ThreadingHTTPServer):
    """Serves one backend. `server_port` is the port there is when 0 was asked for."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, backend: Backend, *, port: int) -> None:
        super().__init__((LOOPBACK, port), _Handler)
        self.backend = backend
        self.lanes = Lanes()
        self.recent = Recent()
        self._answering = 0
        self._changed = threading.Condition()

    def count(self, step: int) -> None:
        """Note that an answer was begun (1) or ended (-1)."""
        with self._changed:
            self._answering += step
            self._changed.notify_all()

    def drain(self, seconds: float) -> bool:
        """Wait until nothing is being answered; False if the time was not enough."""
        with self._changed:
            return self._changed.wait_for(lambda: self._answering == 0, seconds)

    def embed(self, wanted: Wanted, *, is_awaited: Callable[[], bool]) -> list[Served]:
        """One turn for each text, the longest first; results in the order of the request. Raises
        `ConnectionAbortedError` as soon as nobody waits for them any more.
        """
        urgent = wanted.is_urgent(self.backend.passage_prefix)
        served: dict[int, Served] = {}
        for place in sorted(range(len(wanted.texts)), key=lambda at: -len(wanted.texts[at])):
            if not urgent and not is_awaited():
                raise ConnectionAbortedError
            with self.lanes.turn(urgent=urgent):
                served[place] = self._one(wanted.texts[place], wanted.purpose, urgent=urgent)
        return [served[place] for place in range(len(wanted.texts))]

    def _one(self, text: str, purpose: Purpose, *, urgent: bool) -> Served:
        if urgent:
            return self.backend.embed(text, purpose=purpose)
        served = self.recent.get(purpose, text)
        if served is None:
            served = self.backend.embed(text, purpose=purpose)
            self.recent.keep(purpose, text, served)
        return served


class _Handler(BaseHTTPRequestHandler):
    server: EmbeddingServer  # this handler has no other
    protocol_version = "HTTP/1.1"
    timeout = IDLE_SECONDS
    disable_nagle_algorithm = True
    wbufsize = -1  # headers and body leave together

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # named by the base class
        """Nothing: texts and addresses stay out of logs."""

    def do_GET(self) -> None:  # named by the base class
        """Answer a GET."""
        self._answer("GET")

    def do_POST(self) -> None:  # named by the base class
        """Answer a POST."""
        self._answer("POST")

    def _answer(self, method: str) -> None:
        self.server.count(1)
        try:
            body = self._body()
            self._send(HTTPStatus.OK, self._route(method, body))
        except Refusal as refusal:
            self._send(refusal.status, refusal.body(), retry_after=refusal.retry_after)
        except ConnectionError:
            self.close_connection = True
        finally:
            self.server.count(-1)

    def _body(self) -> bytes:
        length = self.headers.get("Content-Length", "0")
        if "Transfer-Encoding" in self.headers or not length.isdecimal():
            self.close_connection = True
            raise Refusal(411, "the body needs a Content-Length", code="length_required")
        if int(length) > MOST_BYTES:
            self.close_connection = True
            raise Refusal(413, f"at most {MOST_BYTES} bytes a request", code="request_too_large")
        return self.rfile.read(int(length))

    def _route(self, method: str, body: bytes) -> dict[str, Any]:
        path, backend = self.path.partition("?")[0], self.server.backend
        if path not in ROUTES:
            raise Refusal(404, f"nothing is at {path}", code="unknown_url")
        if ROUTES[path] != method:
            raise Refusal(405, f"{path} takes {ROUTES[path]}", code="method_not_allowed")
        if path == "/v1/embeddings":
            wanted = requests.read(body, backend)
            return requests.answer(wanted, self._embed(wanted), model=backend.name)
        if path == "/v1/tokenize":
            texts = requests.read_to_count(body, backend)
            return requests.counts(self._counted(texts), max_tokens=backend.max_tokens)
        if path == "/v1/models":
            return requests.models(backend)
        return {
            "status": "ok",
            "model": backend.name,
            "fingerprint": backend.fingerprint,
            "dimension": backend.dimension,
        }

    def _embed(self, wanted: Wanted) -> list[Served]:
        with _refusing():
            return self.server.embed(wanted, is_awaited=self._is_awaited)

    def _counted(self, texts: list[str]) -> Sequence[int]:
        with _refusing():
            return self.server.backend.count_tokens(texts)

    def _is_awaited(self) -> bool:
        """Whether the client is still connected: of one that left nothing more can be read."""
        readable, _, _ = select.select([self.connection], [], [], 0)
        return not readable or self.connection.recv(1, socket.MSG_PEEK) != b""

    def _send(self, status: int, body: dict[str, Any], *, retry_after: float | None = None) -> None:
        data = json.dumps(body, separators=(",", ":")).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        if retry_after is not None:
            self.send_header("Retry-After", str(math.ceil(retry_after)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(data)
        self.wfile.flush()


@contextmanager
def _refusing() -> Iterator[None]:
    """Refuse what the backend cannot do, each error with its status."""
    try:
        yield
    except EmbeddingRejected as error:
        raise Refusal(400, str(error), param="input", code=error.reason) from error
    except Throttled as error:
        raise Refusal(429, str(error), retry_after=error.retry_after) from error
    except Unavailable as error:
        raise Refusal(503, str(error), retry_after=error.retry_after) from error
    except PalimpsestError as error:
        raise Refusal(500, str(error)) from error
