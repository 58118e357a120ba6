"""A proxy before a node that injects what a real one does on a bad day, by rules that tests set.

Everything is forwarded but what a rule answers; `faults` holds what a rule may do.
"""

import contextlib
import http.client
import random
import re
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from index_faults.messages import JSON, Asked, Reply

_RESET = struct.pack("ii", 1, 0)  # lingering of no time: the end is a reset


class Exchange:
    """One request that a fault has in its hands. Its body is read when it is asked for."""

    def __init__(self, handler: "_Handler") -> None:
        self._handler = handler
        self._body: bytes | None = None

    @property
    def untouched(self) -> bool:
        """Whether the body still waits to be read."""
        return self._body is None

    def asked(self) -> Asked:
        handler = self._handler
        if self._body is None:
            self._body = handler.rfile.read(int(handler.headers.get("content-length") or 0))
        return Asked(handler.command, handler.path, dict(handler.headers), self._body)

    def forwarded(self) -> Reply:
        """What the node answers."""
        asked, server = self.asked(), self._handler.server
        upstream = http.client.HTTPConnection(server.upstream, timeout=30)
        try:
            kept = {k: v for k, v in asked.headers.items() if k.lower() != "connection"}
            upstream.request(asked.method, asked.path, asked.body or None, kept)
            answer = upstream.getresponse()
            return Reply(answer.status, answer.read(), answer.getheader("content-type") or JSON)
        finally:
            upstream.close()

    def wait(self, seconds: float) -> None:
        """Until then, or until the proxy ends."""
        self._handler.server.ending.wait(seconds)


Fault = Callable[[Exchange], Reply | None]
"""What is answered; None: the connection ends without an answer, by a reset if the request's body
has not been read.
"""


@dataclass(slots=True)
class Rule:
    """A fault for requests whose method and path match. `hits` counts how often it struck."""

    fault: Fault
    method: re.Pattern[str]
    path: re.Pattern[str]
    times: int | None
    chance: float
    hits: int = field(default=0, init=False)


class FaultProxy(ThreadingHTTPServer):
    """Serves on a free port of 127.0.0.1. `seen` are the requests whose bodies were read."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, upstream: str, *, seed: int = 0) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.upstream = urlsplit(upstream).netloc
        self.ending = threading.Event()
        self.seen: list[Asked] = []
        self.opened = 0
        self.standing = 0
        self._rules: list[Rule] = []
        self.idle: set[socket.socket] = set()
        self.expired_before = 0
        self._chance = random.Random(seed)
        self._lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def inject(
        self,
        fault: Fault,
        path: str = "",
        *,
        method: str = "",
        times: int | None = None,
        chance: float = 1.0,
    ) -> Rule:
        """From now on this fault, `times` times or until it is healed, in the first rule that
        matches (`method` and `path` with its query, anywhere in them).
        """
        rule = Rule(fault, re.compile(method), re.compile(path), times, chance)
        with self._lock:
            self._rules.append(rule)
        return rule

    def heal(self) -> None:
        with self._lock:
            self._rules.clear()

    def close_idle(self) -> None:
        """End every connection that waits for a request, as a node or a balancer does after a
        while.
        """
        for connection in list(self.idle):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def close_all(self) -> None:
        """End every connection as soon as it is idle, until there is none."""
        while self.standing:
            self.close_idle()
            time.sleep(0.01)

    def expire(self) -> None:
        """From now on every connection that stands is dead, which shows only when it is used."""
        self.expired_before = self.opened

    def fault_of(self, method: str, path: str) -> Fault | None:
        with self._lock:
            for rule in self._rules:
                left = rule.times is None or rule.hits < rule.times
                if left and rule.method.search(method) and rule.path.search(path):
                    if rule.chance < 1 and self._chance.random() >= rule.chance:
                        continue
                    rule.hits += 1
                    return rule.fault
        return None

    def arrived(self) -> int:
        """The number of a new connection."""
        with self._lock:
            self.opened += 1
            self.standing += 1
            return self.opened

    def left(self) -> None:
        """A connection has ended."""
        with self._lock:
            self.standing -= 1


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # an answer is one packet
    disable_nagle_algorithm = True
    server: FaultProxy

    def setup(self) -> None:
        super().setup()
        self.number = self.server.arrived()
        self.server.idle.add(self.connection)

    def handled(self) -> None:
        self.server.idle.discard(self.connection)
        exchange = Exchange(self)
        reply = self._reply(exchange) if self.number > self.server.expired_before else None
        if reply is None:
            self.close_connection = True
            if exchange.untouched:
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
                self.connection.close()
            return
        self._answer(reply)
        if not self.close_connection:
            self.server.idle.add(self.connection)

    def _reply(self, exchange: Exchange) -> Reply | None:
        fault = self.server.fault_of(self.command, self.path)
        try:
            reply = exchange.forwarded() if fault is None else fault(exchange)
        except (OSError, http.client.HTTPException):  # the node has gone, or its connection
            reply = None
        if not exchange.untouched:
            self.server.seen.append(exchange.asked())
        return reply

    def _answer(self, reply: Reply) -> None:
        self.send_response_only(reply.status)
        self.send_header("Content-Type", reply.kind)
        self.send_header("Content-Length", str(len(reply.body)))
        self.end_headers()
        self.wfile.write(reply.body[: reply.sent])
        self.wfile.flush()
        self.close_connection = self.close_connection or reply.sent is not None

    def handle(self) -> None:
        with contextlib.suppress(OSError):  # its client has waited long enough
            super().handle()

    def finish(self) -> None:
        self.server.idle.discard(self.connection)
        with contextlib.suppress(OSError):
            super().finish()
        self.rfile.close()
        self.server.left()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # the base's own name
        pass


for _method in ("GET", "POST", "PUT", "DELETE"):
    setattr(_Handler, f"do_{_method}", _Handler.handled)


@contextmanager
def serving(upstream: str) -> Iterator[FaultProxy]:
    """A proxy that serves meanwhile."""
    with FaultProxy(upstream) as proxy:
        thread = threading.Thread(target=proxy.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield proxy
        finally:
            proxy.ending.set()
            proxy.shutdown()
            proxy.close_idle()
            thread.join()
