"""C10: 5,000 records (LONG_RECORDS) listed and followed page by page while others write: no
duplicate, no gap.

They come by one reconcile (a job of the state machine), and go by one purge (F8), whose workers are
killed.
"""

import json
import os
import random
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Self

import httpx
import pytest

from e2e.client import Client
from e2e.index_at_rest import entries_of
from e2e.killing import workers
from e2e.processes import kill
from stack import LocalStack, free_ports

pytestmark = pytest.mark.stack
RECORDS = int(os.environ.get("LONG_RECORDS") or 5_000)
WRITERS = 4
PATIENCE_S = 600.0
KILLS = 3


@pytest.fixture
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalStack]:
    """One that nobody else uses: with so many records in it the endpoint is slow."""
    made = LocalStack(tmp_path_factory.mktemp("long"), free_ports())
    made.make("up")
    try:
        yield made
    finally:
        made.make("down")


@pytest.fixture
def client(stack: LocalStack) -> Iterator[Client]:
    with Client(stack.values["PALIMPSEST_URL"], stack.values["PALIMPSEST_KEY"]) as made:
        yield made


def load(client: Client, namespace: str) -> None:
    """All records by one reconcile: a list in the bucket, and the state machine."""
    lines = [json.dumps({"id": f"r{n:05}", "text": f"note {n}"}) for n in range(RECORDS)]
    place = client.http.post("lists").raise_for_status().json()
    upload = place["upload"]
    sent = httpx.request(
        upload["method"], upload["url"], headers=upload["headers"], content="\n".join(lines)
    )
    sent.raise_for_status()
    body = {"namespace": namespace, "revision": 1, "active_uri": place["uri"]}
    begun = client.http.post("reconcile", json=body)
    assert begun.status_code == 202, begun.text
    report = ended(client, begun.json()["job"]["id"])
    assert (report["added"], report["embedded"], report["failed"]) == (RECORDS, RECORDS, [])
    assert report["verified"]


def ended(client: Client, job_id: str) -> dict[str, Any]:
    """The result of a job, once it has succeeded."""
    end = time.monotonic() + PATIENCE_S
    while True:
        try:
            job = client.http.get(f"jobs/{job_id}").raise_for_status().json()
        except httpx.HTTPError:  # its worker may have been killed
            job = {"status": "not told"}
        if job["status"] == "succeeded":
            result: dict[str, Any] = job["result"]
            return result
        assert job["status"] != "failed", job
        assert time.monotonic() < end, job
        time.sleep(0.5)


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


def test_c10_f8_thousands_are_listed_while_others_write_and_purged_while_workers_die(
    client: Client, stack: LocalStack
) -> None:
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
    purge(client, stack, namespace)


def purge(client: Client, stack: LocalStack, namespace: str) -> None:
    """Nothing is shown from the answer on; killed at random, the job ends in a receipt of zeros."""
    before = client.status(namespace)["revision"]
    begun = client.http.delete(f"namespaces/{namespace}")
    assert begun.status_code == 202, begun.text
    killed = 0
    for _ in range(KILLS):
        time.sleep(1.5)
        pids = workers(stack)
        killed += bool(pids) and kill(random.choice(pids))
    result = ended(client, begun.json()["job"]["id"])
    assert killed
    assert listed(client, namespace, status="any")() == []
    assert set(result["receipt"].values()) == {0}
    assert result["revision"] == before + 1
    assert client.status(namespace)["counts"]["active"] == 0
    entries = entries_of(stack, namespace)
    assert len(entries) >= RECORDS
    assert all(tombstone for _, tombstone in entries.values())
    client.put(namespace, "r00000", "a new life").raise_for_status()
    client.wait(namespace)
    assert client.found(namespace, "a new life") == ["r00000"]
