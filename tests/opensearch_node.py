"""A real OpenSearch node for tests that are marked `opensearch`: one for all workers of a run.

A conftest takes the fixtures over with `from opensearch_node import index_prefix, opensearch_url`.
"""

import os
import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

from local.children import command_line
from opensearch import distribution, node
from opensearch.distribution import locked
from opensearch.node import Node

QUICK = ("-XX:TieredStopAtLevel=1",)
"""Starts in half the time; a test makes too few calls for the better compiler to pay."""


def require() -> None:
    """Skip the test if this machine cannot run a node; in CI, fail it."""
    reason = distribution.missing()
    if reason is None:
        return
    if os.environ.get("CI"):
        pytest.fail(f"CI is set, and {reason}", pytrace=False)
    pytest.skip(reason)


def start(folder: Path, *settings: str) -> Node:
    """A node with its data and its log in a folder. It ends with this run, if nobody stops it."""
    prepared = distribution.prepare(say=print)
    folder.mkdir(exist_ok=True)
    options = [*QUICK, f"-Dlocal.follows={_run()}"]
    told = node.command(prepared, folder / "data", port=0, options=options)
    return node.start([*told, *settings], log=folder / "log")


@pytest.fixture(scope="session")
def opensearch_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The base address of a running node, which other workers and tests use as well."""
    require()
    base = tmp_path_factory.getbasetemp()
    with shared_node((base.parent if _is_worker() else base) / "opensearch") as url:
        yield url


@pytest.fixture
def index_prefix(opensearch_url: str) -> Iterator[str]:
    """A prefix of one test's own; the indices `<prefix>-v*` are deleted afterwards."""
    prefix = f"test-{secrets.token_hex(6)}"
    yield prefix
    path = f"/{prefix}-v*?allow_no_indices=true&ignore_unavailable=true"
    with urlopen(Request(opensearch_url + path, method="DELETE"), timeout=60) as answer:
        assert answer.status == 200


@contextmanager
def shared_node(folder: Path) -> Iterator[str]:
    """The node of a folder: who finds none starts it, and stops it when all others have gone."""
    folder.mkdir(exist_ok=True)
    me, address = folder / f"user-{os.getpid()}", folder / "url"
    with locked(folder / "lock"):
        own = None if address.exists() else start(folder)
        if own is not None:
            address.write_text(own.url)
        me.touch()
        url = address.read_text()
    try:
        yield url
    finally:
        me.unlink()
        if own is not None:
            _stop_when_alone(own, folder)


def _stop_when_alone(own: Node, folder: Path) -> None:
    while True:
        with locked(folder / "lock"):
            if not any(command_line(int(u.name[5:])) for u in folder.glob("user-*")):
                (folder / "url").unlink()
                own.stop()
                shutil.rmtree(folder / "data", ignore_errors=True)
                return
        time.sleep(0.2)


def _is_worker() -> bool:
    return "PYTEST_XDIST_WORKER" in os.environ


def _run() -> int:
    """The process that lasts as long as the run: a worker may be replaced."""
    return os.getppid() if _is_worker() else os.getpid()
