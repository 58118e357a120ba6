"""Wake-ups may be lost, doubled, late or out of order, and the endpoint may die: the index says the
same.
"""

import json
import os
import signal
import time
from typing import Any

import boto3
import pytest

from e2e.client import Client
from e2e.index_at_rest import entries_of, records_of
from e2e.killing import STREAM_SOURCE, child
from e2e.processes import command, descendants, kill
from palimpsest.adapters.dynamodb import items
from palimpsest.services.restore import MARGIN
from stack import LocalStack

pytestmark = pytest.mark.stack


def projector(stack: LocalStack, event: dict[str, Any]) -> Any:
    """Invoke the projector with an event, as any of its sources would."""
    values = stack.values
    client = boto3.client(
        "lambda",
        endpoint_url=values["AWS_ENDPOINT_URL"],
        region_name=values["AWS_REGION"],
        aws_access_key_id=values["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=values["AWS_SECRET_ACCESS_KEY"],
    )
    answer = client.invoke(
        FunctionName=values["PROJECTOR_FUNCTION"], Payload=json.dumps(event).encode()
    )
    return json.loads(answer["Payload"].read())


def stream_records(namespace: str, revisions: list[int]) -> dict[str, Any]:
    """Stream records of these commits, in this order."""
    return {
        "Records": [
            {
                "eventName": "INSERT",
                "dynamodb": {
                    "Keys": {"pk": {"S": f"demo#{namespace}"}, "sk": {"S": f"C#{revision:020}"}},
                    "SequenceNumber": str(revision),
                },
            }
            for revision in revisions
        ]
    }


def write(client: Client, namespace: str) -> None:
    for n in range(12):
        client.put(namespace, f"r{n % 5}", f"the heron on walk {n}").raise_for_status()
    client.delete(namespace, "r0").raise_for_status()


def test_while_the_stream_is_not_read_nothing_is_lost(
    client: Client, local_stack: LocalStack
) -> None:
    (source,) = child(local_stack, STREAM_SOURCE)
    for _ in range(3):  # the schedule, once a minute, may carry what the stream does not
        namespace = client.fresh("lost")
        os.kill(source, signal.SIGSTOP)
        try:
            write(client, namespace)
            time.sleep(1)
            lag = client.status(namespace)["lag"]
        finally:
            os.kill(source, signal.SIGCONT)
        client.wait(namespace)
        if lag:
            break
    assert lag == 13
    assert entries_of(local_stack, namespace) == records_of(local_stack, namespace)


def test_a_search_that_sees_a_lag_wakes_the_projection_itself(
    client: Client, local_stack: LocalStack
) -> None:
    namespace = client.fresh("nudge")
    (source,) = child(local_stack, STREAM_SOURCE)
    os.kill(source, signal.SIGSTOP)
    try:
        client.put(namespace, "a", "the heron by the weir").raise_for_status()
        client.search(namespace, "heron").raise_for_status()
        client.wait(namespace, patience_s=30)
        assert client.found(namespace, "heron") == ["a"]
    finally:
        os.kill(source, signal.SIGCONT)


def test_f7_old_events_replayed_in_any_order_change_nothing(
    client: Client, local_stack: LocalStack
) -> None:
    namespace = client.fresh("replay")
    write(client, namespace)
    client.wait(namespace)
    before = entries_of(local_stack, namespace)
    for revisions in ([13, 1, 7], [1] * 5, list(range(13, 0, -1))):
        answer = projector(local_stack, stream_records(namespace, revisions))
        assert answer == {"batchItemFailures": []}
    assert entries_of(local_stack, namespace) == before == records_of(local_stack, namespace)
    assert "r0" not in client.found(namespace, "heron walk", limit=50)


def test_after_a_kill_that_lost_nothing_the_index_stays_and_the_clock_skips(
    client: Client, local_stack: LocalStack
) -> None:
    namespace = client.fresh("killed")
    write(client, namespace)
    generation = client.wait(namespace)["index_generation"]
    local_stack.await_saved(f"demo#{namespace}", items.log_sk(13))
    supervisor = int(local_stack.values["PALIMPSEST_PID"])
    (endpoint,) = [
        pid for pid in descendants(supervisor) if "infra/local/emulator.py" in command(pid)
    ]
    kill(endpoint)
    kill(supervisor)
    told = local_stack.make("up")
    assert "the last stop was not clean" in told
    values = local_stack.values
    with Client(values["PALIMPSEST_URL"], values["PALIMPSEST_KEY"]) as again:
        status = again.wait(namespace)
        assert (status["revision"], status["index_generation"]) == (13 + MARGIN, generation)
        assert sorted(again.found(namespace, "heron walk", limit=50)) == ["r1", "r2", "r3", "r4"]
    assert entries_of(local_stack, namespace) == records_of(local_stack, namespace)
