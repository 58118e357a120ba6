"""The state machine of long jobs, run by moto with made-up answers of its function."""

import io
import json
import time
import uuid
import zipfile
from collections.abc import Callable, Iterator
from typing import Any

import boto3
import pytest
import requests
from moto import mock_aws

from jobs_machine import TEXT

RUNNING: Any = {
    "stepfunctions": {"execute_state_machine": True},
    "lambda": {"use_docker": False},
}
ANSWERS = "http://motoapi.amazonaws.com/moto-api/static/lambda-simple/response"
DONE, MORE = {"done": True}, {"done": False}
Run = Callable[..., list[dict[str, Any]]]


@pytest.fixture(scope="module")
def run() -> Iterator[Run]:
    """Runs the machine to its end with some input and answers; what its function was told, in
    order (a page's own execution tells nothing here).
    """
    with mock_aws(config=RUNNING):
        role = boto3.client("iam").create_role(RoleName="machine", AssumeRolePolicyDocument="{}")
        arn = role["Role"]["Arn"]
        function = boto3.client("lambda").create_function(
            FunctionName="jobs",
            Runtime="python3.13",
            Role=arn,
            Handler="h.handler",
            Code={"ZipFile": _zipped("def handler(event, _): return event")},
        )["FunctionArn"]
        client = boto3.client("stepfunctions")
        machine = client.create_state_machine(
            name="jobs", definition=TEXT.replace("${JobsFunction}", function), roleArn=arn
        )["stateMachineArn"]

        def run(given: dict[str, Any], *answers: object) -> list[dict[str, Any]]:
            for answer in answers:
                told = {"results": [json.dumps(answer)], "region": "us-east-1"}
                requests.post(ANSWERS, json=told, timeout=5)
            execution = client.start_execution(
                stateMachineArn=machine, name=str(uuid.uuid4()), input=json.dumps(given)
            )["executionArn"]
            while client.describe_execution(executionArn=execution)["status"] == "RUNNING":
                time.sleep(0.02)
            assert client.describe_execution(executionArn=execution)["status"] == "SUCCEEDED"
            events = client.get_execution_history(executionArn=execution, maxResults=1000)["events"]
            scheduled = [e.get("lambdaFunctionScheduledEventDetails") for e in events]
            return [json.loads(one["input"]) for one in scheduled if one]

        yield run


def _zipped(source: str) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("h.py", source)
    return packed.getvalue()


def job(kind: str, **more: object) -> dict[str, Any]:
    return {"kind": kind, "tenant": "acme", "job": "j1", "prepared": False, **more}


def steps(told: list[dict[str, Any]]) -> list[str]:
    return [one["step"] for one in told]


def test_a_pass_is_planned_prepared_applied_verified_and_finished(run: Run) -> None:
    plan = {"pages": [0, 1, 2], "apply": True}
    told = run(job("reconcile"), plan, {}, {}, {}, MORE, DONE, DONE, {})
    assert steps(told) == ["plan", "apply", "apply", "verify", "finish"]
    assert all((one["tenant"], one["job"]) == ("acme", "j1") for one in told)


def test_a_pass_that_is_only_to_be_told_of_is_planned_and_finished(run: Run) -> None:
    told = run(job("reconcile"), {"pages": [0], "apply": False}, {})
    assert steps(told) == ["plan", "finish"]


def test_a_pass_without_pages_is_applied_at_once(run: Run) -> None:
    told = run(job("reconcile"), {"pages": [], "apply": True}, DONE, DONE, {})
    assert steps(told) == ["plan", "apply", "verify", "finish"]


def test_a_prepared_pass_comes_with_its_plan(run: Run) -> None:
    given = job("reconcile", prepared=True, plan={"pages": [0, 1], "apply": True})
    assert steps(run(given, {}, {}, DONE, DONE, {})) == ["apply", "verify", "finish"]


@pytest.mark.parametrize(("kind", "step"), [("purge", "erase"), ("canonical", "mend")])
def test_other_jobs_go_on_until_they_are_done(run: Run, kind: str, step: str) -> None:
    assert steps(run(job(kind), MORE, MORE, DONE, {})) == [step, step, step, "finish"]


def test_the_daily_round_goes_on_from_where_it_was(run: Run) -> None:
    told = run({"kind": "daily"}, {**MORE, "after": "a"}, {**DONE, "after": ""})
    assert told == [{"step": "daily", "after": ""}, {"step": "daily", "after": "a"}]
