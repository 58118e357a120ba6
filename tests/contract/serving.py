"""Servers of a test, on the loopback."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from local.embedding_backend import Backend
from local.embedding_http import EmbeddingServer

Reply = tuple[int, dict[str, str], bytes]
"""Status, headers and body."""


@contextmanager
def running(server: ThreadingHTTPServer) -> Iterator[str]:
    """Serve in the background; the base URL of the API."""
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@contextmanager
def embedding_server(backend: Backend) -> Iterator[str]:
    """The project's own embedding server over a backend."""
    with running(EmbeddingServer(backend, port=0)) as url:
        yield url


@contextmanager
def replying(reply: Callable[[dict[str, Any]], Reply]) -> Iterator[str]:
    """A server that answers each request's JSON as `reply` says."""

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # the base's name
            pass

        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            status, headers, body = reply(json.loads(self.rfile.read(length)))
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    with running(server) as url:
        yield url
