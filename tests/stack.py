"""A local stack of the test run's own: real endpoint, real deployment, simulated embedder.

A conftest takes the fixture over with `from stack import local_stack`; tests that use it carry the
marker `stack`. Bringing one up takes some 20 to 60 s, once per run.
"""

import json
import os
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from local import environment
from opensearch_node import QUICK

ROOT = Path(__file__).resolve().parents[1]
SAVED_WITHIN_S = 60.0


@dataclass(frozen=True, slots=True)
class Answer:
    """One HTTP answer; header names in small letters."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)


@dataclass(frozen=True, slots=True)
class LocalStack:
    """A stack in a folder on a port; `values` is what its `env` file says while it runs."""

    folder: Path
    port: int
    engine: str = "sqlite"

    @property
    def values(self) -> dict[str, str]:
        """The stack's `env` file."""
        return environment.read(self.folder / "env")

    def make(self, *arguments: str) -> str:
        """`make` with this stack's settings; its output. Raises `CalledProcessError`."""
        settings = {
            "PORT": str(self.port),
            "LOCAL_DIR": str(self.folder),
            "ENGINE": self.engine,
            "EMBEDDER": "simulated",
            "SAMPLE": "no",
            "OPENSEARCH_JAVA_OPTS": " ".join(QUICK),
        }
        done = subprocess.run(
            ["make", "-s", "-C", str(ROOT), *arguments],
            env={**_unmade(os.environ), **settings},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(f"make {' '.join(arguments)}:\n{done.stdout}\n{done.stderr}")
        return done.stdout

    def key(self, tenant: str, *, scopes: str = "admin", namespaces: str = "*") -> str:
        """A new key."""
        told = self.make("key", f"TENANT={tenant}", f"SCOPES={scopes}", f"NAMESPACES={namespaces}")
        return told.splitlines()[-1]

    def await_saved(self, pk: str, sk: str = "") -> None:
        """Until the endpoint has saved an item of one of its tables, `sk` where that table has
        sort keys: it saves every few seconds, and less often where that is much.
        """
        end = time.monotonic() + SAVED_WITHIN_S
        while time.monotonic() < end:
            with suppress(ValueError):  # it is being written
                saved = json.loads((self.folder / "state" / "dynamodb.json").read_text())
                tables = saved["payload"]["tables"]["data"].values()
                if any(pk in t["items"] and sk in {"", *t["items"][pk]} for t in tables):
                    return
            time.sleep(0.5)
        raise TimeoutError(f"{pk} {sk} was not saved within {SAVED_WITHIN_S} s")

    def call(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        key: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """One request to the API, `path` below `/v1`; a key of None sends no credentials."""
        sent = dict(headers or {})
        if key is not None:
            sent["Authorization"] = f"Bearer {key}"
        if body is not None:
            sent.setdefault("Content-Type", "application/json")
        data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self.values["PALIMPSEST_URL"] + path, data=data, headers=sent, method=method
        )
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return _answer(answer.status, answer.headers, answer.read())
        except urllib.error.HTTPError as error:
            with error:
                return _answer(error.code, error.headers, error.read())


@pytest.fixture(scope="session")
def local_stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalStack]:
    """A running stack, empty but for the demo tenant's key; taken down at the end."""
    stack = LocalStack(tmp_path_factory.mktemp("stack"), free_ports())
    stack.make("up")
    try:
        yield stack
    finally:
        stack.make("down")


def free_ports() -> int:
    """A port that is free, with the two after it free too."""
    while True:
        with socket.create_server(("127.0.0.1", 0)) as first:
            port: int = first.getsockname()[1]
            try:
                with (
                    socket.create_server(("127.0.0.1", port + 1)),
                    socket.create_server(("127.0.0.1", port + 2)),
                ):
                    return port
            except (OSError, OverflowError):
                continue


def _unmade(outer: Mapping[str, str]) -> dict[str, str]:
    """The environment without what a surrounding `make` or another stack's env file has put in."""
    stack = ("AWS_", "PALIMPSEST_", "STACK_NAME", "KEYS_TABLE_NAME", "OPENSEARCH_URL", "INDEX_")
    foreign = ("MAKE", "MFLAGS", *stack)
    return {name: value for name, value in outer.items() if not name.startswith(foreign)}


def _answer(status: int, headers: Any, body: bytes) -> Answer:
    return Answer(status, {name.lower(): value for name, value in headers.items()}, body)
