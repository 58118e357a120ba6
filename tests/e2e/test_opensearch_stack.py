"""The whole service with OpenSearch as its index: a stack of its own, a real node behind it."""

import json
import logging
import os
import signal
import threading
import time
from collections.abc import Iterator

import pytest

from e2e.client import Client
from e2e.reconciling_fire import assert_nothing_is_wrong, burn
from e2e.tools_round import every_tool
from stack import LocalStack, free_ports

pytestmark = [pytest.mark.stack, pytest.mark.opensearch]
ANSWERS = {200, 503, 504}


@pytest.fixture(scope="module")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalStack]:
    made = LocalStack(tmp_path_factory.mktemp("opensearch"), free_ports(), engine="opensearch")
    made.make("up")
    try:
        yield made
    finally:
        made.make("down")


@pytest.fixture
def client(stack: LocalStack) -> Iterator[Client]:
    with Client(stack.values["PALIMPSEST_URL"], stack.values["PALIMPSEST_KEY"]) as made:
        yield made


def node_of(stack: LocalStack) -> int:
    """The process id of the stack's node."""
    noted: dict[str, str] = json.loads((stack.folder / "children.json").read_text())
    (pid,) = [int(pid) for pid, command in noted.items() if "LocalNode" in command]
    return pid


def test_a_record_is_found_on_each_leg_changed_and_forgotten_with_a_receipt(
    client: Client,
) -> None:
    ns = client.fresh()
    client.put(ns, "a", "The lighthouse keeper is called Runa.", tags=["sea"]).raise_for_status()
    client.wait(ns)
    for mode in ("hybrid", "lexical", "semantic"):
        assert client.found(ns, "lighthouse keeper", mode=mode) == ["a"]
    tagged = {"tags": "sea"}
    assert client.found(ns, "keeper", filter=tagged) == ["a"]
    client.put(ns, "a", "The ferryman is called Runa.").raise_for_status()
    client.wait(ns)
    assert client.found(ns, "lighthouse", mode="lexical") == []
    client.delete(ns, "a").raise_for_status()
    assert client.found(ns, "ferryman") == []
    client.wait(ns)
    end = time.monotonic() + 60
    while not (told := client.http.get(f"namespaces/{ns}/records/a/receipt").json())["erased"]:
        assert time.monotonic() < end, told
        time.sleep(0.2)


def test_h8_every_tool_through_the_real_path(client: Client) -> None:
    every_tool(client)


def test_a_node_killed_again_and_again_loses_nothing_and_no_search_is_wrong(
    client: Client, stack: LocalStack
) -> None:
    ns = client.fresh("killed")
    over, statuses, wrong = threading.Event(), set[int](), list[str]()
    client.put(ns, "first", "a heron in the reeds").raise_for_status()
    client.wait(ns)

    def ask() -> None:
        while not over.is_set():
            answer = client.search(ns, "heron")
            statuses.add(answer.status_code)
            if answer.status_code == 200 and not answer.json()["hits"]:
                wrong.append(answer.text)

    asking = threading.Thread(target=ask)
    asking.start()
    try:
        for round_ in range(2):
            for n in range(10):
                text = f"a heron, sighting {round_} {n}"
                client.put(ns, f"r{round_}-{n}", text).raise_for_status()
                if n == 5:
                    os.kill(node_of(stack), signal.SIGKILL)
            client.wait(ns, patience_s=120)
    finally:
        over.set()
        asking.join()
    assert wrong == []
    assert statuses <= ANSWERS
    assert len(client.found(ns, "heron", limit=50)) == 21
    proof = stack.make("index-prove").splitlines()
    assert proof[-1] == "equal"
    assert any(f"demo {ns}: equal" in line and "21 entries" in line for line in proof)


def test_d2_passes_under_fire_leave_exactly_a_list_and_undo_nothing(
    client: Client, stack: LocalStack, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    scene = burn(client, stack)
    assert_nothing_is_wrong(scene, client, stack)


def test_the_operator_sees_the_index_and_is_refused_what_makes_no_sense(
    stack: LocalStack,
) -> None:
    assert stack.make("index-status").startswith("palimpsest-v1  read  simulated-256, 256")
    assert stack.make("index-ensure").startswith("palimpsest-v1  read")
    with pytest.raises(RuntimeError, match="already made for this model"):
        stack.make("index-begin")
    assert stack.make("index-drop").strip() == "nothing to drop"
