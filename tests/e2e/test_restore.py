"""The endpoint is killed with commits that it had acknowledged and not yet saved."""

import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from e2e.client import Client
from e2e.index_at_rest import entries_of, records_of, table
from e2e.processes import command, descendants, kill
from palimpsest.adapters.dynamodb import items
from palimpsest.services.restore import MARGIN
from stack import LocalStack

pytestmark = pytest.mark.stack
FEW = 10
"""What others wrote just before the save, whose vectors came after it; the sample alone is 60."""


def awaited(done: Callable[[], bool], *, patience_s: float = 30) -> None:
    end = time.monotonic() + patience_s
    while not done():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_what_a_kill_has_lost_is_not_served_and_its_revisions_are_never_given_out_again(
    client: Client, local_stack: LocalStack
) -> None:
    quiet, busy, young = (client.fresh(word) for word in ("quiet", "busy", "young"))
    client.put(quiet, "a", "the heron by the weir").raise_for_status()
    client.put(busy, "kept", "the otter under the bridge").raise_for_status()
    client.put(busy, "changed", "the lynx on the ridge").raise_for_status()
    client.put(busy, "forgotten", "the newt in the pond").raise_for_status()
    client.wait(quiet)
    generation = client.wait(busy)["index_generation"]
    after_a_save(client, local_stack)
    seen = [
        client.put(busy, "changed", "the badger in the wood").json()["revision"],
        client.delete(busy, "forgotten").json()["revision"],
        client.put(busy, "lost", "the marten in the loft").json()["revision"],
        client.put(young, "b", "the falcon on the tower").json()["revision"],
    ]
    assert seen == [4, 5, 6, 1]
    assert client.wait(busy)["revision"] == 6
    client.wait(young)
    killed(local_stack)

    told = local_stack.make("up")
    assert told.count("not clean") == 1
    assert "the index was ahead of the table and is built again" in told
    embedded = re.search(r"(\d+) texts embedded", told)
    assert embedded is not None
    assert int(embedded[1]) < FEW, told
    values = local_stack.values
    with Client(values["PALIMPSEST_URL"], values["PALIMPSEST_KEY"]) as again:
        status = again.wait(busy)
        assert status["index_generation"] != generation
        jumped = {quiet: 1 + MARGIN, busy: 6 + MARGIN, young: 1 + MARGIN}
        assert {name: again.status(name)["revision"] for name in jumped} == jumped
        assert again.found(quiet, "heron weir") == ["a"]
        assert again.found(busy, "lynx ridge", mode="lexical") == ["changed"]
        assert again.found(busy, "newt pond", mode="lexical") == ["forgotten"]
        assert again.found(busy, "marten loft badger wood", mode="lexical") == []
        assert sorted(again.found(busy, "marten", limit=50)) == ["changed", "forgotten", "kept"]
        assert again.get(busy, "lost").status_code == 404
        assert again.put(busy, "changed", "too late", match=4).status_code == 412
        anew = again.put(busy, "lost", "the marten in the loft, again").json()["revision"]
        assert anew == jumped[busy] + 1
        again.wait(busy)
        assert again.found(busy, "marten loft", mode="lexical") == ["lost"]
        assert entries_of(local_stack, busy) == records_of(local_stack, busy)
        assert gaps(local_stack, busy) == [(3, jumped[busy])]
        assert f"demo {busy}: {anew} -> {anew + MARGIN}" in local_stack.make("restored")
        assert again.found(busy, "marten loft", mode="lexical") == ["lost"]
        assert entries_of(local_stack, busy) == records_of(local_stack, busy)


def after_a_save(client: Client, stack: LocalStack) -> None:
    """Just after the endpoint has saved its state: for some 3 s nothing more is saved."""
    state = stack.folder / "state"
    tick = client.fresh("tick")
    client.put(tick, "a", "a reason to save").raise_for_status()
    client.wait(tick)  # its vector is held
    before = newest(state)
    client.delete(tick, "a").raise_for_status()
    awaited(lambda: newest(state) > before)
    time.sleep(0.2)  # the files of one save are written one after another


def newest(folder: Path) -> float:
    return max(path.stat().st_mtime for path in folder.rglob("*") if path.is_file())


def killed(stack: LocalStack) -> None:
    """End the endpoint and its supervisor at once (-9)."""
    supervisor = int(stack.values["PALIMPSEST_PID"])
    (endpoint,) = [
        pid for pid in descendants(supervisor) if "infra/local/emulator.py" in command(pid)
    ]
    kill(endpoint)
    kill(supervisor)


def gaps(stack: LocalStack, namespace: str) -> list[tuple[int, int]]:
    """Where the commit log of a namespace skips revisions; it must be unbroken."""
    log = log_of(stack, namespace)
    assert [entry[0] for entry in log] == [0, *(entry[1] for entry in log)][:-1]
    return [(previous, revision) for previous, revision in log if revision != previous + 1]


def log_of(stack: LocalStack, namespace: str) -> list[tuple[int, int]]:
    """(previous, revision) of every commit, in order."""
    found = table(stack).query(
        TableName=stack.values["TABLE_NAME"],
        ConsistentRead=True,
        KeyConditionExpression="pk = :pk AND begins_with(sk, :c)",
        ExpressionAttributeValues={
            ":pk": {"S": items.partition("demo", namespace)},
            ":c": {"S": "C#"},
        },
    )["Items"]
    return [(int(item["prev"]["N"]), int(item["sk"]["S"].removeprefix("C#"))) for item in found]
