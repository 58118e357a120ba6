"""A proxy before the table that injects what a real one does on a bad day.

Everything is forwarded; some requests are refused before, of some the answer is lost after.
"""

import http.client
import json
import random
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

BEYOND_THE_READ_TIMEOUT_S = 3.5
WRITE_FAULTS = {
    "dropped after the write": 0.015,
    "late after the write": 0.01,
    "failed after the write": 0.015,
    "throttled": 0.015,
    "too much throughput": 0.01,
    "conflict": 0.03,
}
"""By the share of all transactions; one that is sent again after a fault is ten times as unlucky,
as trouble seldom comes alone.
"""
READ_FAULTS = {"throttled": 0.01, "left undone": 0.04}
READS = frozenset({"GetItem", "Query", "BatchGetItem", "TransactGetItems"})
UNLUCKY = 10
_PREFIX = "com.amazonaws.dynamodb.v20120810#"
_OF_ONE_HOP = frozenset({"connection", "transfer-encoding", "content-length", "date"})

Reply = tuple[int, Mapping[str, str], bytes]


@dataclass(frozen=True, slots=True)
class Call:
    """One request: its operation, its body, and everything as it came."""

    operation: str
    body: bytes
    path: str
    headers: Mapping[str, str]


def _token(body: bytes) -> str:
    try:
        return str(json.loads(body).get("ClientRequestToken", ""))
    except ValueError:
        return ""


class FaultProxy(ThreadingHTTPServer):
    """Serves on a free port of 127.0.0.1. `injected` counts the faults by operation and kind."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 256

    def __init__(self, upstream: str, *, seed: int = 0) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.upstream = urlsplit(upstream).netloc
        self.injected: Counter[str] = Counter()
        self.forwarded: Counter[str] = Counter()
        self._chance = random.Random(seed)
        self._troubled: set[str] = set()
        self._lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def fault(self, call: Call) -> str | None:
        """The fault of this call, if it has one."""
        operation = call.operation
        shares = WRITE_FAULTS if operation == "TransactWriteItems" else {}
        shares = READ_FAULTS if operation in READS else shares
        # of a request whose sender was killed amid it there is no whole body
        token = _token(call.body) if shares else ""
        with self._lock:
            self.forwarded[operation] += 1
            luck = self._chance.random() / (UNLUCKY if token in self._troubled else 1)
            for kind, share in shares.items():
                luck -= share
                if luck < 0 and (kind != "left undone" or operation == "BatchGetItem"):
                    self.injected[f"{operation} {kind}"] += 1
                    self._troubled |= {token} - {""}
                    return kind
        return None

    def some(self, keys: list[Any]) -> list[Any]:
        """Some of these keys, at least one."""
        with self._lock:
            return self._chance.sample(keys, self._chance.randint(1, len(keys)))


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # an answer is one packet
    disable_nagle_algorithm = True
    server: FaultProxy

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        operation = self.headers.get("x-amz-target", "").rpartition(".")[2]
        call = Call(operation, body, self.path, dict(self.headers))
        reply = self._reply(call, self.server.fault(call))
        if reply is None:
            self.close_connection = True
        else:
            self._answer(*reply)

    def _reply(self, call: Call, fault: str | None) -> Reply | None:
        """What is answered; None: the connection ends without an answer."""
        if fault == "throttled":
            return refusal("ThrottlingException")
        if fault == "too much throughput":
            return refusal("ProvisionedThroughputExceededException")
        if fault == "conflict":
            return conflict(call)
        if fault == "left undone":
            return left_undone(call, self.server.some(_keys(call)), self._forward)
        reply = self._forward(call)
        if fault == "failed after the write":
            return refusal("InternalServerError", status=500)
        if fault == "late after the write":
            time.sleep(BEYOND_THE_READ_TIMEOUT_S)
        return None if fault == "dropped after the write" else reply

    def _forward(self, call: Call) -> Reply:
        upstream = http.client.HTTPConnection(self.server.upstream, timeout=30)
        try:
            # the host too as it came: the request is signed for it
            sent = {k: v for k, v in call.headers.items() if k.lower() not in _OF_ONE_HOP}
            upstream.request("POST", call.path, body=call.body, headers=sent)
            answer = upstream.getresponse()
            return answer.status, dict(answer.headers), answer.read()
        finally:
            upstream.close()

    def _answer(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        try:
            self.send_response_only(status)
            for name, value in headers.items():
                if name.lower() not in _OF_ONE_HOP:
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
            self.wfile.flush()
        except OSError:  # its client was killed, or has waited long enough
            self.close_connection = True

    def handle(self) -> None:
        try:
            super().handle()
        except OSError:
            self.close_connection = True

    def finish(self) -> None:
        try:
            super().finish()
        except OSError:
            self.rfile.close()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # the base's own name
        pass


def refusal(code: str, *, status: int = 400, **members: Any) -> Reply:
    """An error as the table tells it."""
    body = {"__type": _PREFIX + code, "message": "injected", **members}
    headers = {"Content-Type": "application/x-amz-json-1.0"}
    return status, headers, json.dumps(body).encode()


def conflict(call: Call) -> Reply:
    """A transaction cancelled since another one holds its last item."""
    count = len(json.loads(call.body)["TransactItems"])
    reasons = [{"Code": "None"}] * (count - 1) + [{"Code": "TransactionConflict"}]
    return refusal("TransactionCanceledException", CancellationReasons=reasons)


def left_undone(call: Call, keys: list[Any], forward: Any) -> Reply:
    """The answer to a batch with these keys left unprocessed."""
    request = json.loads(call.body)
    ((table, wanted),) = request["RequestItems"].items()
    status, headers, body = forward(call)
    answer = json.loads(body)
    if status == http.HTTPStatus.OK:
        undone = [key["sk"] for key in keys]
        found = answer["Responses"].get(table, [])
        answer["Responses"][table] = [item for item in found if item["sk"] not in undone]
        answer["UnprocessedKeys"] = {table: {**wanted, "Keys": keys}}
    kept = {k: v for k, v in headers.items() if k.lower() != "x-amz-crc32"}
    return status, kept, json.dumps(answer).encode()


def _keys(call: Call) -> list[Any]:
    ((_, wanted),) = json.loads(call.body)["RequestItems"].items()
    keys: list[Any] = wanted["Keys"]
    return keys


@contextmanager
def serving(upstream: str) -> Iterator[FaultProxy]:
    """A proxy that serves meanwhile."""
    with FaultProxy(upstream) as proxy:
        thread = threading.Thread(target=proxy.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield proxy
        finally:
            proxy.shutdown()
            thread.join()
