"""The corrections of the local endpoint, each against the endpoint itself."""

import contextlib
import importlib.metadata
import io
import json
import os
import signal
import threading
import time
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError
from urllib.request import urlopen

import boto3
import pytest
from botocore.exceptions import BotoCoreError

from local import emulator, endpoint
from local.children import Children
from local.layout import REGION, Layout
from stack import free_ports
from template_tables import create_table

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return replace(Layout.from_environment({}), local=tmp_path, port=free_ports())


@pytest.fixture
def children(tmp_path: Path) -> Iterator[Children]:
    started = Children(tmp_path / "children.json")
    yield started
    started.stop()


def client(layout: Layout) -> "DynamoDBClient":
    table: DynamoDBClient = aws(layout, "dynamodb")
    return table


def role(layout: Layout) -> str:
    made = aws(layout, "iam").create_role(RoleName="anyone", AssumeRolePolicyDocument="{}")
    return str(made["Role"]["Arn"])


def aws(layout: Layout, service: str) -> Any:
    return boto3.client(  # type: ignore[call-overload]
        service,
        endpoint_url=layout.endpoint,
        region_name=REGION,
        aws_access_key_id="local",
        aws_secret_access_key="local",
    )


def kill(children: Children) -> None:
    (child,) = children.running.values()
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    children.running.clear()


@pytest.mark.stack
def test_a_kill_loses_no_more_than_a_few_seconds(layout: Layout, children: Children) -> None:
    endpoint.start(layout, children)
    table = client(layout)
    create_table(table, "KeysTable")
    table.put_item(TableName="KeysTable", Item={"id": {"S": "before"}})
    time.sleep(emulator.SAVE_SECONDS + 1.5)
    kill(children)
    endpoint.start(layout, children)
    items = client(layout).scan(TableName="KeysTable")["Items"]
    assert items == [{"id": {"S": "before"}}]


@pytest.mark.stack
def test_a_kill_in_the_middle_of_writes_never_tears_a_transaction(
    layout: Layout, children: Children
) -> None:
    endpoint.start(layout, children)
    table = client(layout)
    create_table(table, "KeysTable")
    writer = threading.Thread(target=write_pairs, args=(table,))
    writer.start()
    time.sleep(emulator.SAVE_SECONDS + 1.5)
    kill(children)
    writer.join()
    endpoint.start(layout, children)
    items = client(layout).scan(TableName="KeysTable")["Items"]
    assert {item["n"]["N"] for item in items} != {"0"}
    assert len({item["n"]["N"] for item in items}) == 1
    assert len(items) == 40


def write_pairs(table: "DynamoDBClient") -> None:
    """The same number into forty items at once, one number after another, until nobody answers."""
    with contextlib.suppress(BotoCoreError):
        for number in range(100_000):
            items = [{"id": {"S": f"{i}"}, "n": {"N": f"{number}"}} for i in range(40)]
            table.transact_write_items(
                TransactItems=[{"Put": {"TableName": "KeysTable", "Item": item}} for item in items]
            )


@pytest.mark.stack
def test_executions_of_state_machines_do_not_keep_it_from_saving(
    layout: Layout, children: Children
) -> None:
    endpoint.start(layout, children)
    table = client(layout)
    create_table(table, "KeysTable")
    machines = aws(layout, "stepfunctions")
    machine = machines.create_state_machine(
        name="busy", definition=json.dumps(BUSY), roleArn=role(layout)
    )["stateMachineArn"]
    started = machines.start_execution(
        stateMachineArn=machine, input=json.dumps(list(range(20_000)))
    )["executionArn"]
    deadline = time.monotonic() + 2.5 * emulator.SAVE_SECONDS
    while time.monotonic() < deadline:
        table.put_item(TableName="KeysTable", Item={"id": {"S": "meanwhile"}})
        time.sleep(0.1)
    assert machines.describe_execution(executionArn=started)["status"] == "RUNNING"
    table.put_item(TableName="KeysTable", Item={"id": {"S": "afterwards"}})
    saved = layout.state / "dynamodb.json"
    deadline = time.monotonic() + 60
    while "afterwards" not in saved.read_text() and time.monotonic() < deadline:
        time.sleep(0.2)
    assert "afterwards" in saved.read_text()
    kill(children)  # a clean stop would wait for its threads


BUSY = {
    "StartAt": "Each",
    "States": {
        "Each": {
            "Type": "Map",
            "MaxConcurrency": 8,
            "ItemProcessor": {
                "ProcessorConfig": {"Mode": "DISTRIBUTED", "ExecutionType": "STANDARD"},
                "StartAt": "Nothing",
                "States": {"Nothing": {"Type": "Wait", "Seconds": 0.01, "End": True}},
            },
            "End": True,
        }
    },
}
"""Makes hundreds of executions a second."""


@pytest.mark.stack
@pytest.mark.parametrize(
    ("raising", "name"),
    [
        ("raise JobRefused('no:\\nnever')", "JobRefused"),
        ("raise JobRefused", "JobRefused"),
        ("{}['x']", "KeyError"),
    ],
)
def test_a_failed_call_bears_the_name_of_its_exception(
    layout: Layout, children: Children, raising: str, name: str
) -> None:
    endpoint.start(layout, children)
    source = f"class JobRefused(Exception): ...\n\ndef handler(event, context):\n    {raising}\n"
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("failing.py", source)
    functions = aws(layout, "lambda")
    functions.create_function(
        FunctionName="failing",
        Runtime="python3.13",
        Handler="failing.handler",
        Role=role(layout),
        Code={"ZipFile": packed.getvalue()},
    )
    answer = json.load(functions.invoke(FunctionName="failing")["Payload"])
    assert answer["errorType"] == name


def test_of_several_tracebacks_the_last_one_was_raised() -> None:
    log = """{"level": "INFO"}
Traceback (most recent call last):
  File "a.py", line 1, in f
    1 / 0
    ~~^~~
ZeroDivisionError: division by zero

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "a.py", line 3, in f
    raise JobRefused("KeyError: no")
palimpsest.domain.jobs.JobRefused: KeyError: no
"""
    assert emulator.RAISED.findall(log)[-1] == "JobRefused"
    assert emulator.RAISED.findall("KeyError: no\nTask timed out after 3.00 seconds") == []


@pytest.mark.stack
def test_the_endpoint_listens_on_the_loopback_only(layout: Layout, children: Children) -> None:
    endpoint.start(layout, children)
    listening = [
        line.split()[1]
        for line in Path("/proc/net/tcp").read_text().splitlines()[1:]
        if line.split()[3] == "0A" and line.split()[1].endswith(f":{layout.port:04X}")
    ]
    assert listening == [f"0100007F:{layout.port:04X}"]


@pytest.mark.stack
def test_while_it_is_closed_the_api_refuses_and_aws_answers(
    layout: Layout, children: Children
) -> None:
    layout.closed_marker.touch()
    endpoint.start(layout, children)
    for url in ("_aws/execute-api/x/v1/health", "restapis/x/v1/_user_request_/health"):
        with pytest.raises(HTTPError) as refused:
            urlopen(f"{layout.endpoint}/{url}")
        with refused.value as answer:
            assert (answer.code, answer.headers["Retry-After"]) == (503, "1")
            assert answer.headers["Content-Type"] == "application/problem+json"
            assert json.load(answer)["type"] == "urn:palimpsest:problem:unavailable"
    assert client(layout).list_tables()["TableNames"] == []
    layout.closed_marker.unlink()
    with pytest.raises(HTTPError) as unknown:
        urlopen(f"{layout.endpoint}/_aws/execute-api/x/v1/health")
    with unknown.value as answer:
        assert answer.code != 503


@pytest.mark.stack
@pytest.mark.parametrize("forward", [True, False])
def test_a_range_finds_what_a_parsed_condition_finds(
    forward: bool,  # noqa: FBT001  # parametrized
    layout: Layout,
    children: Children,
) -> None:
    endpoint.start(layout, children)
    table = client(layout)
    name = create_table(table, "RecordsTable")
    keys = [(pk, sk) for pk in ("a#b", "a#c") for sk in ("C", "C#1", "C#2", "C#é", "C#😀", "D#1")]
    for pk, sk in keys:
        table.put_item(TableName=name, Item={"pk": {"S": pk}, "sk": {"S": sk}})

    def found(condition: str, names: dict[str, str]) -> list[str]:
        told = table.query(
            TableName=name,
            KeyConditionExpression=condition,
            ScanIndexForward=forward,
            ExpressionAttributeValues={
                ":pk": {"S": "a#b"}, ":first": {"S": "C#1"}, ":last": {"S": "C#😀"},
            },
            **({"ExpressionAttributeNames": names} if names else {}),  # type: ignore[arg-type]
        )  # fmt: skip
        return [item["sk"]["S"] for item in told["Items"]]

    quick = found("pk = :pk AND sk BETWEEN :first AND :last", {})
    assert quick == found("#p = :pk AND #s BETWEEN :first AND :last", {"#p": "pk", "#s": "sk"})
    assert sorted(quick) == ["C#1", "C#2", "C#é", "C#😀"]


@pytest.mark.parametrize(
    ("method", "target", "expected"),
    [
        ("POST", b"DynamoDB_20120810.PutItem", True),
        ("POST", b"DynamoDB_20120810.TransactWriteItems", True),
        ("POST", b"DynamoDB_20120810.GetItem", False),
        ("POST", b"DynamoDBStreams_20120810.GetRecords", False),
        ("POST", b"AmazonSQS.SendMessage", True),
        ("POST", b"", True),
        ("PUT", b"", True),
        ("GET", b"", False),
    ],
)
def test_only_what_may_change_something_asks_for_a_save(
    method: str, target: bytes, *, expected: bool
) -> None:
    headers = [(b"host", b"x"), (b"x-amz-target", target)]
    assert emulator.changes({"method": method, "headers": headers}) is expected


def test_another_version_of_the_emulator_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.metadata, "version", lambda _name: "2.0.0")
    with pytest.raises(SystemExit, match=r"1\.5\.33, this is 2\.0\.0"):
        emulator.check_version()


def test_the_pinned_version_is_the_one_that_is_installed_for_the_stack() -> None:
    requirements = Path(emulator.__file__).with_name("emulator.txt").read_text()
    assert f"ministack=={emulator.PINNED} " in requirements
