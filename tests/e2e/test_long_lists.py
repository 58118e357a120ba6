"""C10: 10,000 records listed and followed page by page while others write: no duplicate, no gap."""

import random
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Self

import pytest

from e2e.client import Client
from e2e.fire import run
from stack import LocalStack, free_ports

pytestmark = pytest.mark.stack
RECORDS, BATCH, LOADERS, WRITERS = 10_000, 25, 4, 4


@pytest.fixture
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """Of a stack that nobody else uses: with so many records in it the endpoint is slow."""
    stack = LocalStack(tmp_path_factory.mktemp("long"), free_ports())
    stack.make("up")
    try:
        with Client(stack.values["PALIMPSEST_URL"], stack.values["PALIMPSEST_KEY"]) as made:
            yield made
    finally:
        stack.make("down")


def load(client: Client, namespace: str) -> None:
    """10,000 records in commits of 25."""

    def part(first: int) -> None:
        for start in range(first * BATCH, RECORDS, LOADERS * BATCH):
            operations = [
                {"op": "put", "id": f"r{n:05}", "record": {"text": f"note {n}"}}
                for n in range(start, start + BATCH)
            ]
            answer = client.http.post(
                f"namespaces/{namespace}/commits", json={"operations": operations}
            )
            answer.raise_for_status()

    run([threading.Thread(target=part, args=(n,)) for n in range(LOADERS)])


def walk(client: Client, path: str, member: str, **query: Any) -> list[dict[str, Any]]:
    """Every page of a list."""
    found: list[dict[str, Any]] = []
    cursor: dict[str, str] = {}
    while True:
        page = client.http.get(path, params={**query, **cursor}).raise_for_status().json()
        found += page[member]
        if page["next_cursor"] is None:
            return found
        cursor = {"cursor": page["next_cursor"]}


class Writers:
    """Others who change, forget, bring back and add records until they are told to stop."""

    def __init__(self, client: Client, namespace: str) -> None:
        self._over = threading.Event()
        self._threads = [
            threading.Thread(target=self._write, args=(client, namespace, n))
            for n in range(WRITERS)
        ]
        self.forgotten: set[str] = set()
        self.written = 0

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join()

    def _write(self, client: Client, namespace: str, seed: int) -> None:
        chance = random.Random(seed)
        while not self._over.is_set():
            name = f"r{chance.randrange(RECORDS):05}"
            if chance.random() < 0.2:
                client.delete(namespace, name)
                self.forgotten.add(name)
            elif chance.random() < 0.2:
                client.put(namespace, f"new-{seed}-{self.written}", "a new note")
            else:
                client.put(namespace, name, f"changed {self.written}")
            self.written += 1


def listed(client: Client, namespace: str, **query: Any) -> Callable[[], list[str]]:
    def read() -> list[str]:
        records = walk(client, f"namespaces/{namespace}/records", "records", **query)
        return [record["id"] for record in records]

    return read


def at_once(*reads: Callable[[], list[str]]) -> list[list[str]]:
    """What each of them reads, all side by side."""
    with ThreadPoolExecutor(len(reads)) as pool:
        return [one.result() for one in [pool.submit(read) for read in reads]]


def test_10_000_records_are_listed_and_followed_while_others_write(client: Client) -> None:
    namespace = client.fresh("long")
    load(client, namespace)
    names = {f"r{n:05}" for n in range(RECORDS)}
    assert client.status(namespace)["counts"]["active"] == RECORDS
    orders = ("newest", "oldest")
    with Writers(client, namespace) as writers:
        # with their tombstones: all that were there, each once; beside new ones of later walks
        for found in at_once(*(listed(client, namespace, order=o, status="any") for o in orders)):
            old = [name for name in found if name in names]
            assert len(found) == len(set(found))
            assert set(old) == names
        before = set(writers.forgotten)
        found = listed(client, namespace)()
        assert len(found) == len(set(found))
        assert names - set(found) <= writers.forgotten
        assert len(set(found) & before) < len(before) or not before
    assert writers.written > 50

    newest, oldest = at_once(*(listed(client, namespace, order=order) for order in orders))
    assert oldest == newest[::-1]
    assert len(newest) == client.status(namespace)["counts"]["active"]
    changes = walk(client, f"namespaces/{namespace}/changes", "changes", since=0)
    assert [c["revision"] for c in changes] == sorted(c["revision"] for c in changes)
    assert {c["id"] for c in changes if c["status"] == "active"} == set(newest)
    assert len({c["id"] for c in changes}) == len(changes)
