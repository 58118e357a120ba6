"""The HTTP reranker and connections that fail, over real sockets on the loopback."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from palimpsest.adapters.http_models import HttpReranker, RerankShape
from palimpsest.domain.errors import DeadlineExceeded, PalimpsestError, Unavailable

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n"
Connection = Callable[[socket.socket, threading.Event], None]
"""What a server does with a connection, until the test is over."""


@contextmanager
def serving(behave: Connection) -> Iterator[str]:
    """A server of one connection: the address of its rerank route."""
    over = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(65_536)
                behave(connection, over)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.getsockname()[1]}/rerank"
        finally:
            over.set()
            thread.join()


def failure(url: str, timeout: float) -> tuple[type[PalimpsestError], float]:
    """What is raised, and after how many seconds."""
    reranker = HttpReranker(url=url, model="some-model", shape=RerankShape.TEI)
    begun = time.monotonic()
    with pytest.raises(PalimpsestError) as caught:
        reranker.rerank("why", ["first", "second"], timeout=timeout)
    reranker.close()
    return type(caught.value), time.monotonic() - begun


def test_a_refused_connection_is_unavailable() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    assert failure(f"http://127.0.0.1:{port}/rerank", 5)[0] is Unavailable


def test_a_connection_closed_before_the_answer_is_unavailable() -> None:
    with serving(lambda _connection, _over: None) as url:
        assert failure(url, 5)[0] is Unavailable


def test_a_connection_closed_midway_is_unavailable() -> None:
    with serving(lambda connection, _over: connection.sendall(HEAD + b'[{"index": 0')) as url:
        assert failure(url, 5)[0] is Unavailable


def test_an_answer_that_never_comes_is_an_exceeded_deadline() -> None:
    def wait(_connection: socket.socket, over: threading.Event) -> None:
        over.wait(10)

    with serving(wait) as url:
        error, seconds = failure(url, 0.3)
    assert error is DeadlineExceeded
    assert 0.3 <= seconds < 3


def test_an_answer_that_trickles_past_the_deadline_is_broken_off() -> None:
    def trickle(connection: socket.socket, over: threading.Event) -> None:
        connection.sendall(HEAD)
        for _ in range(1000):
            if over.wait(0.05):
                return
            try:
                connection.sendall(b" ")
            except OSError:
                return

    with serving(trickle) as url:
        error, seconds = failure(url, 0.3)
    assert error is DeadlineExceeded
    assert 0.3 <= seconds < 3
