"""Clients, passes and searches on one namespace while parts of the stack are killed; then the same
invariants on either engine."""

import logging
import os
import random
import threading
import time

from e2e.client import Client
from e2e.fire import run
from e2e.killing import NODE, STREAM_SOURCE, child, killed_at_random, workers
from e2e.passes_history import faults, unproved
from e2e.passes_scene import PassesScene, some_list
from e2e.table_at_rest import table_of
from stack import LocalStack

WRITERS, PASSES, SEARCHERS = 16, 4, 4
SECONDS = float(os.environ.get("FIRE_SECONDS") or 60)
WARM_UP_S = 2.0
WORKER_S = 10.0
"""Seconds between two kills of a worker, on average: the endpoint ends all of a function with it,
and starting them anew takes the better part of this on two cores.
"""

CATCHING_UP_S = 120 + SECONDS / 2
LAST_TRIES = 40


def warm_up(client: Client) -> None:
    """Have warm workers: cold starts are another test."""
    soon = time.monotonic() + WARM_UP_S
    scene = PassesScene(client, "warm-up", soon, soon)
    everybody = ((scene.write, WRITERS), (scene.reconcile, PASSES), (scene.search, SEARCHERS))
    for work, count in everybody:
        run([threading.Thread(target=work, args=(seed,)) for seed in range(count)])


def burn(client: Client, stack: LocalStack) -> PassesScene:
    """One fire; what was done and seen in it."""
    warm_up(client)
    began = time.monotonic()
    scene = PassesScene(client, client.fresh("passes"), began + SECONDS, began + 4 * SECONDS)
    kinds = {
        "worker": (WORKER_S, lambda: workers(stack)),
        "stream source": (15.0, lambda: child(stack, STREAM_SOURCE)),
    }
    if stack.engine == "opensearch":
        kinds["node"] = (25.0, lambda: child(stack, NODE))
    everybody = ((scene.write, WRITERS), (scene.reconcile, PASSES), (scene.search, SEARCHERS))
    with killed_at_random(kinds) as killed:
        run(
            [
                threading.Thread(target=work, args=(seed,))
                for work, count in everybody
                for seed in range(count)
            ]
        )
    told = scene.history
    logging.getLogger(__name__).info(
        "%s: %s puts, %s acknowledged; %s passes, %s applied, %s stale, %s unproved; %s hits; "
        "killed: %s; answers: %s",
        stack.engine,
        len(told.puts),
        sum(put.revision is not None for put in told.puts),
        len(told.passes),
        sum(one.applied is True for one in told.passes),
        sum(one.applied is False for one in told.passes),
        len(unproved(told.passes)),
        len(told.hits),
        dict(killed),
        dict(scene.counted),
    )
    assert killed["worker"]
    assert killed["stream source"]
    assert scene.enough
    return scene


def assert_nothing_is_wrong(scene: PassesScene, client: Client, stack: LocalStack) -> None:
    """The faults of the history, and what must be at rest: a last pass leaves exactly its list, and
    the index is proved equal to the table.
    """
    assert scene.strange == []
    client.wait(scene.namespace, patience_s=CATCHING_UP_S)
    assert faults(scene.history, table_of(stack, scene.namespace)) == []
    wanted = some_list(random.Random("last"))
    for _ in range(LAST_TRIES):
        last = scene.one_pass(scene.newest + 1, wanted)
        if last.applied is not None:
            break
        time.sleep(1)
    assert (last.applied, last.verified) == (True, True)
    table = table_of(stack, scene.namespace)
    newest = dict(sorted(table.versions))
    standing = {i: table.versions[i, revision] for i, revision in newest.items()}
    assert {i: v.text for i, v in standing.items() if v.status == "active"} == wanted
    assert faults(scene.history, table) == []
    body = {"namespace": scene.namespace, "source": "canonical"}
    proof = client.http.post("reconcile", json=body).raise_for_status().json()
    drift = (proof["added"], proof["updated"], proof["removed"])
    assert (proof["verified"], drift) == (True, (0, 0, 0))
