"""The life of a local stack: up, push, down, killed, up again."""

import os
import signal
import stat
import time

import boto3
import pytest

from local.children import command_line
from stack import LocalStack

pytestmark = pytest.mark.stack


def test_a_call_with_a_key_is_answered(local_stack: LocalStack) -> None:
    values = local_stack.values
    assert values["PALIMPSEST_URL"].endswith("/v1")
    answer = local_stack.call("POST", "/search", {"query": "x"}, key=values["PALIMPSEST_KEY"])
    assert answer.status == 200


def test_health_needs_no_key(local_stack: LocalStack) -> None:
    assert local_stack.call("GET", "/health").status == 200


@pytest.mark.parametrize(
    ("key", "path", "status", "slug"),
    [
        (None, "/search", 401, "unauthorized"),
        ("nonsense", "/search", 401, "unauthorized"),
        ("pal_0000000000000000_00000000000000000000", "/search", 403, "forbidden"),
        ("pal_0000000000000000_00000000000000000000", "/nowhere", 404, "not-found"),
    ],
)
def test_what_the_gateway_refuses_is_a_problem_document(
    local_stack: LocalStack, key: str | None, path: str, status: int, slug: str
) -> None:
    answer = local_stack.call("POST", path, {"query": "x"}, key=key)
    assert answer.status == status
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert problem["type"] == f"urn:palimpsest:problem:{slug}"
    assert problem["instance"] == answer.headers["x-request-id"]
    assert ("www-authenticate" in answer.headers) == (status == 401)


def test_a_key_of_the_command_line_is_taken_at_once(local_stack: LocalStack) -> None:
    key = local_stack.key("acme", scopes="read", namespaces="team-*")
    body = {"query": "x", "namespace": "team-a"}
    assert local_stack.call("POST", "/search", body, key=key).status == 200


def test_the_env_file_is_the_owners_alone(local_stack: LocalStack) -> None:
    assert stat.S_IMODE((local_stack.folder / "env").stat().st_mode) == 0o600
    assert stat.S_IMODE(local_stack.folder.stat().st_mode) == 0o700


def test_roles_are_enforced(local_stack: LocalStack) -> None:
    values = local_stack.values
    functions = boto3.client(
        "dynamodb",
        endpoint_url=values["AWS_ENDPOINT_URL"],
        region_name=values["AWS_REGION"],
        aws_access_key_id="someone-else",
        aws_secret_access_key="x",
    )
    with pytest.raises(functions.exceptions.ClientError):
        functions.scan(TableName=values["TABLE_NAME"])


def test_new_code_is_pushed_in_seconds(local_stack: LocalStack) -> None:
    began = time.monotonic()
    assert "pushed to 10 functions" in local_stack.make("push")
    assert local_stack.call("GET", "/health").status == 200
    assert time.monotonic() - began < 15


@pytest.mark.parametrize("victim", ["supervisor", "endpoint"])
def test_after_a_kill_it_starts_from_the_last_saved_state_and_says_so(
    local_stack: LocalStack, victim: str
) -> None:
    key = local_stack.key("acme")
    local_stack.await_saved(key.split("_")[1])
    pid = int(local_stack.values["PALIMPSEST_PID"])
    if victim == "endpoint":
        pid = endpoint_pid(local_stack)
    os.kill(pid, signal.SIGKILL)
    while command_line(int(local_stack.values["PALIMPSEST_PID"])):
        time.sleep(0.1)
    said = [line for line in local_stack.make("up").splitlines() if "not clean" in line]
    assert len(said) == 1
    assert local_stack.call("POST", "/search", {"query": "x"}, key=key).status == 200


def test_a_stop_keeps_everything_and_the_next_start_is_quick(local_stack: LocalStack) -> None:
    key = local_stack.key("acme")
    demo = local_stack.values["PALIMPSEST_KEY"]
    pid = endpoint_pid(local_stack)
    assert "stopped" in local_stack.make("down")
    assert command_line(pid) == ""
    assert "not running" in local_stack.make("down")
    began = time.monotonic()
    said = local_stack.make("up")
    assert "not clean" not in said
    assert "deploying" not in said
    assert time.monotonic() - began < 30
    assert "already running" in local_stack.make("up")
    assert local_stack.values["PALIMPSEST_KEY"] == demo
    assert local_stack.call("POST", "/search", {"query": "x"}, key=key).status == 200


def endpoint_pid(stack: LocalStack) -> int:
    noted = (stack.folder / "children.json").read_text()
    return int(noted.split('"')[1])
