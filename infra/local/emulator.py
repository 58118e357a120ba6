"""Start ministack with the corrections that this stack cannot do without.

Runs in the emulator's own environment, takes ministack's own environment variables, and reaches
into its private parts: pinned to one version, one function per correction, each with a test of its
own in `tests/infra`. Whatever can be mended from outside is (`deployment.py`, `stream_source.py`).
"""

import asyncio
import contextlib
import importlib
import importlib.metadata
import json
import os
import re
import sys
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PINNED = "1.5.33"
SAVE_SECONDS = 3.0
# one log stream per call would make each save longer than the last
NOT_SAVED = {"cloudwatch_logs", "cloudwatch", "cloudtrail"}
READING = ("Get", "Query", "Scan", "BatchGet", "Describe", "List")
RANGE = re.compile(r"pk = (:\w+) AND sk BETWEEN (:\w+) AND (:\w+)")
"""The key condition of every Query of this project."""
RAISED = re.compile(
    r"^Traceback \(most recent call last\):\n(?:[ \t].*\n)+(?:\w+\.)*(\w+)(?=:|$)", re.MULTILINE
)
"""A traceback and the name of its exception."""


def check_version() -> None:
    """Refuse any other version: a correction of private parts means nothing there."""
    found = importlib.metadata.version("ministack")
    if found != PINNED:
        sys.exit(f"the corrections are written for ministack {PINNED}, this is {found}")


def durable_state(seconds: float = SAVE_SECONDS) -> None:
    """Save what has changed every few seconds, so that a kill loses little.

    Plain ministack saves at a clean stop only. The copy is taken on the event loop, on which every
    request is served, while no other thread runs (state machines have some): it never holds half a
    transaction. Writing happens on a thread. At most a tenth of the time goes into saving, so a
    large state is saved less often.
    """
    endpoint: Any = importlib.import_module("ministack.app")
    persistence: Any = importlib.import_module("ministack.core.persistence")

    inner, changed, tasks = endpoint.app, asyncio.Event(), []

    async def keep_saving() -> None:
        pause = seconds
        while True:
            await asyncio.sleep(pause)
            if not changed.is_set():
                continue
            changed.clear()
            began = time.monotonic()
            sources = endpoint._build_persistence_save_dict()  # noqa: SLF001  # version pinned
            try:
                with alone():
                    copies = {name: get() for name, get in sources.items() if name not in NOT_SAVED}
            except RuntimeError:  # changed while it was copied, all the same
                changed.set()
                continue
            written = {name: lambda copy=copy: copy for name, copy in copies.items()}
            await asyncio.to_thread(persistence.save_all, written)
            pause = max(seconds, 9 * (time.monotonic() - began))

    async def app(scope: dict[str, Any], receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan" and persistence.PERSIST_STATE:
            tasks.append(asyncio.create_task(keep_saving()))
        elif scope["type"] == "http" and changes(scope):
            await inner(scope, receive, send)
            changed.set()
            return
        await inner(scope, receive, send)

    endpoint.app = app


@contextlib.contextmanager
def alone() -> Iterator[None]:
    """Let no other thread take over within a second, unless this one waits."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1)
    try:
        time.sleep(2 * before)  # whoever waits already has asked for its turn by then
        yield
    finally:
        sys.setswitchinterval(before)


def changes(scope: dict[str, Any]) -> bool:
    """Whether an HTTP request may have changed state: any but a GET and a reading AWS operation."""
    if scope["method"] in {"GET", "HEAD", "OPTIONS"}:
        return False
    target = next((value for name, value in scope["headers"] if name == b"x-amz-target"), b"")
    return not target.decode().rpartition(".")[2].startswith(READING)


def wildcards_over_lines() -> None:
    """Let `*` in an authorizer's policy cover a line feed too.

    AWS compares the path as it came, percent-encoded; ministack compares it decoded, and its `*`
    ends at a line feed: an id with one would be 403 instead of the handler's 422.
    """
    gateway: Any = importlib.import_module("ministack.services.apigateway_v1")

    def matches(pattern: str, arn: str) -> bool:
        regex = re.escape(pattern).replace(r"\*", ".*").replace(r"\?", ".")
        return re.fullmatch(regex, arn, re.DOTALL) is not None

    gateway._arn_matches = matches  # noqa: SLF001  # version pinned


def escaped_media_types() -> None:
    """Know a binary media type by the spelling that CloudFormation asks for, `~1` for the slash.

    ministack takes `*~1*` literally, so every body would come as text, in which what is not UTF-8
    has been replaced.
    """
    gateway: Any = importlib.import_module("ministack.services.apigateway_v1")
    matches = gateway._media_type_matches  # noqa: SLF001  # version pinned

    def unescaped(media_type: Any, patterns: Any) -> Any:
        return matches(media_type, [pattern.replace("~1", "/") for pattern in patterns or ()])

    gateway._media_type_matches = unescaped  # noqa: SLF001


def failures_by_name() -> None:
    """Name a failed call after its exception, as AWS does, so that a state machine can tell what
    will never succeed from what may. ministack calls every failure `Runtime.HandlerError`.
    """
    functions: Any = importlib.import_module("ministack.services.lambda_svc")
    called = functions._execute_function_warm  # noqa: SLF001  # version pinned

    def named(*call: Any) -> Any:
        result = called(*call)
        names = RAISED.findall(result.get("log", ""))
        if names and result.get("error") and result["body"]["errorType"] == "Runtime.HandlerError":
            result["body"]["errorType"] = names[-1]
        return result

    functions._execute_function_warm = named  # noqa: SLF001


def quick_ranges() -> None:
    """Answer a Query of a range of sort keys from the items of that range alone.

    ministack sorts the whole partition and parses the condition anew for every item of it: one
    Query among 10,000 records took more than a second, whatever it found.
    """
    table: Any = importlib.import_module("ministack.services.dynamodb")
    parsed = table._evaluate_condition  # noqa: SLF001  # version pinned

    def evaluate(condition: str, item: Any, values: Any, names: Any, **options: Any) -> Any:
        found = RANGE.fullmatch(condition) if "slot" in options else None
        if found is not None:
            pk, first, last = (values.get(name, {}).get("S") for name in found.groups())
            if pk and first and last:
                return item["pk"]["S"] == pk and first <= item["sk"]["S"] <= last
        return parsed(condition, item, values, names, **options)

    table._evaluate_condition = evaluate  # noqa: SLF001
    asked = table._query  # noqa: SLF001

    def narrowed(data: Any) -> Any:
        found = RANGE.fullmatch(str(data.get("KeyConditionExpression")))
        values = data.get("ExpressionAttributeValues") or {}
        keys = [values.get(name, {}).get("S") for name in found.groups()] if found else []
        items = table._tables.get(data.get("TableName"), {}).get("items", {})  # noqa: SLF001
        if not keys or not all(keys) or "IndexName" in data or keys[0] not in items:
            return asked(data)
        pk, first, last = keys
        whole = items[pk]
        items[pk] = {sk: item for sk, item in whole.items() if first <= sk <= last}
        try:
            return asked(data)
        finally:
            items[pk] = whole

    table._query = narrowed  # noqa: SLF001


def closed_api(marker: Path) -> None:
    """While the file `marker` is there, answer every request to a REST API with 503.

    The endpoint serves from its saved state as soon as it listens. After a kill a write would then
    get a revision that was given out before, if it came before the clocks have jumped.
    """
    endpoint: Any = importlib.import_module("ministack.app")
    inner = endpoint.app

    def refused(scope: dict[str, Any]) -> bool:
        if scope["type"] != "http" or not marker.exists():
            return False
        host = dict(scope["headers"]).get(b"host", b"").decode("latin-1")
        return endpoint._parse_execute_api_url(host, scope["path"]) is not None  # noqa: SLF001

    async def app(scope: dict[str, Any], receive: Any, send: Any) -> None:
        if refused(scope):
            headers, body = closed_answer(str(uuid.uuid4()))
            await send({"type": "http.response.start", "status": 503, "headers": headers})
            await send({"type": "http.response.body", "body": body})
            return
        await inner(scope, receive, send)

    endpoint.app = app


def closed_answer(request_id: str) -> tuple[list[tuple[bytes, bytes]], bytes]:
    """What the API answers while it is closed: headers and body."""
    problem = {
        "type": "urn:palimpsest:problem:unavailable",
        "title": "Unavailable",
        "status": 503,
        "detail": "the stack is starting",
        "instance": request_id,
        "stage": "gateway",
    }
    headers = [
        (b"content-type", b"application/problem+json"),
        (b"retry-after", b"1"),
        (b"x-request-id", request_id.encode()),
    ]
    return headers, json.dumps(problem).encode()


def main() -> None:
    """Apply the corrections and serve until SIGTERM."""
    check_version()
    wildcards_over_lines()
    escaped_media_types()
    failures_by_name()
    quick_ranges()
    if os.environ.get("API_CLOSED_BY"):
        closed_api(Path(os.environ["API_CLOSED_BY"]))
    durable_state(float(os.environ.get("SAVE_SECONDS") or SAVE_SECONDS))
    sys.argv[:] = ["ministack"]
    importlib.import_module("ministack.app").main()


if __name__ == "__main__":
    main()
