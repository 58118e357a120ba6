"""The language model over chat completions and real connections: none, broken and slow ones."""

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from contract.language_model_contract import prompt
from contract.serving import replying
from contract.simulated_chats import SimulatedChats
from palimpsest.adapters.http_models import ChatCompletionsModel
from palimpsest.domain.errors import DeadlineExceeded, PalimpsestError, Unavailable

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n"
Serve = Callable[[socket.socket, threading.Event], None]


@contextmanager
def listening(serve: Serve) -> Iterator[str]:
    """A server that treats its one connection as `serve` says; the base URL."""
    done = threading.Event()

    def accept() -> None:
        connection, _ = listener.accept()
        with connection:
            connection.recv(65_536)
            serve(connection, done)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=accept)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
        finally:
            done.set()
            thread.join()


def closing(_connection: socket.socket, _done: threading.Event) -> None:
    pass


def closing_midway(connection: socket.socket, _done: threading.Event) -> None:
    connection.sendall(HEAD + b'{"choices": [')


def speaking_nonsense(connection: socket.socket, _done: threading.Event) -> None:
    connection.sendall(b"not HTTP at all\r\n\r\n")


def silent(_connection: socket.socket, done: threading.Event) -> None:
    done.wait(10)


def silent_midway(connection: socket.socket, done: threading.Event) -> None:
    connection.sendall(HEAD)
    done.wait(10)


def trickling(connection: socket.socket, done: threading.Event) -> None:
    connection.sendall(HEAD)
    while not done.wait(0.05):
        try:
            connection.sendall(b" ")
        except OSError:
            return


def ask(url: str, timeout: float) -> None:
    model = ChatCompletionsModel(base_url=url, model="some-model")
    try:
        model.complete(prompt("why"), timeout=timeout)
    finally:
        model.close()


@pytest.mark.parametrize(
    ("serve", "error"),
    [
        (closing, Unavailable),
        (closing_midway, Unavailable),
        (speaking_nonsense, Unavailable),
        (silent, DeadlineExceeded),
        (silent_midway, DeadlineExceeded),
        (trickling, DeadlineExceeded),
    ],
)
def test_a_broken_or_slow_connection_is_an_error_in_time(
    serve: Serve, error: type[PalimpsestError]
) -> None:
    timeout = 0.5 if error is DeadlineExceeded else 5.0
    with listening(serve) as url:
        begin = time.monotonic()
        with pytest.raises(error) as caught:
            ask(url, timeout)
        took = time.monotonic() - begin
    assert type(caught.value) is error
    assert took < 4


def test_nothing_that_listens_is_unavailable() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
    with pytest.raises(Unavailable) as caught:
        ask(url, 5.0)
    assert type(caught.value) is Unavailable
    assert caught.value.stage == "rewrite"


def test_a_proxy_of_the_environment_is_not_asked_for_this_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    with replying(SimulatedChats()) as url:
        ask(url, 5.0)
        with pytest.raises(Unavailable):
            ask(url.replace("127.0.0.1", "127.0.0.2"), 5.0)
