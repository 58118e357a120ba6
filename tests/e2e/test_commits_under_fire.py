import logging
import os
import threading

import pytest

from e2e.client import Client
from e2e.fault_proxy import WRITE_FAULTS, FaultProxy, serving
from e2e.fire import fire, warm_up
from e2e.history_faults import faults
from e2e.index_at_rest import entries_of, records_of
from e2e.killing import killed_at_random, workers
from e2e.readers import FEED_LIMITS, Follower
from e2e.scene import Scene
from e2e.table_at_rest import counts, current_of, table_of
from e2e.table_behind import table_behind
from stack import LocalStack

pytestmark = pytest.mark.stack
SECONDS = float(os.environ.get("FIRE_SECONDS") or 30)
FEWEST = 50
CATCHING_UP_S = 120 + SECONDS / 2


def tell(scene: Scene, followers: list[Follower], killed: int, proxy: FaultProxy) -> None:
    """Log the figures of a run."""
    writes = scene.history.writes
    logging.getLogger(__name__).info(
        "%s writes, %s acknowledged, %s of unknown outcome; %s reads, %s lists, %s walks of the "
        "feed; %s workers killed\nanswers: %s\ninjected: %s\nforwarded: %s",
        len(writes),
        sum(write.made is not None for write in writes),
        sum(write.made is None and write.found is None for write in writes),
        len(scene.history.reads),
        len(scene.history.listings),
        sum(follower.walks for follower in followers),
        killed,
        dict(scene.counted),
        dict(proxy.injected),
        dict(proxy.forwarded),
    )


def test_d1_d2_d5_f4_under_fire_nothing_is_lost_doubled_or_out_of_order(
    client: Client, local_stack: LocalStack, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger=__name__)
    namespace = client.fresh("fire")
    with (
        serving(local_stack.values["AWS_ENDPOINT_URL"]) as proxy,
        table_behind(local_stack, proxy.url, output="RecordsFunctionName"),
    ):
        warm_up(client)
        with killed_at_random({"worker": (4.0, lambda: workers(local_stack))}) as killed:
            scene, followers = fire(
                client, namespace, seconds=SECONDS, enough=lambda made: harsh(proxy, made)
            )
    tell(scene, followers, killed["worker"], proxy)
    status = client.wait(namespace, patience_s=CATCHING_UP_S)
    table = table_of(local_stack, namespace)
    assert scene.strange == []
    assert faults(scene.history, table) == []
    assert status["revision"] == status["indexed_revision"] == table.clock
    assert entries_of(local_stack, namespace) == records_of(local_stack, namespace)

    current = current_of(local_stack, namespace)
    counted = counts(current)
    assert {kind: status["counts"][kind] for kind in counted} == counted
    for follower in [*followers, *(Follower(scene, limit) for limit in FEED_LIMITS[:2])]:
        assert follower.walk()
        assert follower.faults == []
        assert follower.copy == current

    assert killed["worker"] >= SECONDS / 8
    assert harsh(proxy, scene.newest)


def harsh(proxy: FaultProxy, made: int) -> bool:
    """Whether enough was written, and every kind of fault was injected into it."""
    kinds = {f"TransactWriteItems {kind}" for kind in WRITE_FAULTS}
    return made >= FEWEST and kinds | {"BatchGetItem left undone"} <= proxy.injected.keys()


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
