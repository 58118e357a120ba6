import random
import threading

import pytest

from e2e.client import Client
from e2e.fire import WRITERS, Seen, fire
from e2e.history import faults
from e2e.processes import command, descendants, kill
from stack import LocalStack

pytestmark = pytest.mark.stack
SECONDS = 60
CHECKED = 300


def check_acknowledged(client: Client, namespace: str, seen: Seen) -> None:
    """Every acknowledged write is read back as of its revision (a sample, the last ones
    included).
    """
    revisions = sorted(seen.texts)
    chosen = set(random.Random(1).sample(revisions, min(CHECKED, len(revisions)))) | set(
        revisions[-20:]
    )
    for revision in sorted(chosen):
        record_id, text = seen.texts[revision]
        answer = client.http.get(
            f"namespaces/{namespace}/records/{record_id}", params={"revision": revision}
        )
        assert (answer.status_code, answer.json()["text"]) == (200, text), revision


def test_32_writers_for_60_seconds_lose_nothing_and_every_guard_has_one_winner(
    client: Client,
) -> None:
    namespace = client.fresh("fire")
    seen = fire(client, namespace, seconds=SECONDS)
    clock = client.status(namespace)["revision"]
    assert len(seen.texts) > WRITERS
    assert faults(seen.writes, clock=clock, gaps_allowed=seen.unknown) == []
    check_acknowledged(client, namespace, seen)
    assert client.wait(namespace)["indexed_revision"] == clock


def test_the_same_with_worker_processes_killed_at_random(
    client: Client, local_stack: LocalStack
) -> None:
    namespace = client.fresh("chaos")
    over = threading.Event()
    killed: list[int] = []

    def kill_workers() -> None:
        chance = random.Random(7)
        while not over.wait(chance.uniform(0.3, 1.5)):
            pids = workers(local_stack)
            if pids and kill(pid := chance.choice(pids)):
                killed.append(pid)

    killer = threading.Thread(target=kill_workers)
    killer.start()
    try:
        seen = fire(client, namespace, seconds=SECONDS, seed=100)
    finally:
        over.set()
        killer.join()
    clock = client.status(namespace)["revision"]
    assert len(killed) >= 10
    assert faults(seen.writes, clock=clock, gaps_allowed=seen.unknown) == []
    check_acknowledged(client, namespace, seen)
    assert client.wait(namespace)["indexed_revision"] == clock


def workers(stack: LocalStack) -> list[int]:
    """The processes in which the endpoint runs functions."""
    pids = descendants(int(stack.values["PALIMPSEST_PID"]))
    return [pid for pid in pids if "ministack-lambda" in command(pid)]


def test_two_commits_on_one_namespace_revision_have_one_winner(client: Client) -> None:
    namespace = client.fresh("guard")
    client.put(namespace, "a", "start").raise_for_status()
    answers = []

    def commit(n: int) -> None:
        operation = {"op": "put", "id": f"r{n}", "record": {"text": f"writer {n}"}}
        body = {"operations": [operation], "expected_revision": 1}
        answers.append(client.http.post(f"namespaces/{namespace}/commits", json=body))

    threads = [threading.Thread(target=commit, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(a.status_code for a in answers) == [200] + [409] * 7
    losers = [a.json() for a in answers if a.status_code == 409]
    assert all(body["current_revision"] == 2 and body["operations"] == [] for body in losers)
    assert client.status(namespace)["revision"] == 2
