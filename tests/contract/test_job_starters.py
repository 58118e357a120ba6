"""Every starter of jobs against the contract."""

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

import boto3
import pytest
from moto import mock_aws

from palimpsest.adapters.step_functions import StepFunctionsJobs, make_client
from palimpsest.ports import JobStarter

if TYPE_CHECKING:
    from mypy_boto3_stepfunctions import SFNClient

PAYLOAD = {"kind": "purge", "tenant": "acme", "job": "j-1_a", "prepared": False}
ASL = {"StartAt": "End", "States": {"End": {"Type": "Succeed"}}}


class TestStepFunctions:
    @pytest.fixture
    def client(
        self, aws_session: boto3.Session, monkeypatch: pytest.MonkeyPatch
    ) -> "Iterator[SFNClient]":
        with mock_aws():
            monkeypatch.setattr(boto3, "DEFAULT_SESSION", aws_session)
            yield make_client()

    @pytest.fixture
    def machine(self, client: "SFNClient") -> str:
        return client.create_state_machine(
            name="palimpsest-jobs",
            definition=json.dumps(ASL),
            roleArn="arn:aws:iam::123456789012:role/machine",
        )["stateMachineArn"]

    @pytest.fixture
    def jobs(self, client: "SFNClient", machine: str) -> JobStarter:
        return StepFunctionsJobs(machine, lambda: client)

    @pytest.mark.parametrize("ended", [False, True], ids=["running", "ended"])
    def test_a_job_is_started_once_under_its_name(
        self, jobs: JobStarter, client: "SFNClient", machine: str, ended: object
    ) -> None:
        jobs.start("j-1_a", PAYLOAD)
        (execution,) = client.list_executions(stateMachineArn=machine)["executions"]
        if ended:
            client.stop_execution(executionArn=execution["executionArn"])
        jobs.start("j-1_a", dict(reversed(PAYLOAD.items())))
        (same,) = client.list_executions(stateMachineArn=machine)["executions"]
        assert same["name"] == "j-1_a"
        told = client.describe_execution(executionArn=same["executionArn"])["input"]
        assert json.loads(told) == PAYLOAD

    def test_another_payload_under_the_name_is_refused(self, jobs: JobStarter) -> None:
        jobs.start("j-1_a", PAYLOAD)
        with pytest.raises(ValueError, match="j-1_a"):
            jobs.start("j-1_a", {**PAYLOAD, "tenant": "other"})

    def test_a_name_of_80_characters_is_taken(self, jobs: JobStarter) -> None:
        jobs.start("a" * 80, PAYLOAD)

    def test_a_job_is_told_to_run_until_it_ends_and_one_never_started_to_be_none(
        self, jobs: JobStarter, client: "SFNClient", machine: str
    ) -> None:
        assert jobs.running("j-1_a") is None
        jobs.start("j-1_a", PAYLOAD)
        assert jobs.running("j-1_a") is True
        (execution,) = client.list_executions(stateMachineArn=machine)["executions"]
        client.stop_execution(executionArn=execution["executionArn"])
        assert jobs.running("j-1_a") is False
