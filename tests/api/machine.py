"""The machine of long jobs for the functions in process: it notes what is started; a test runs it,
as a plain loop over the steps of its function.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any

import boto3

import template_buckets
from http_event import Context
from palimpsest.domain.upload_keys import UploadPlace

NAME = "jobs"
ARN = f"arn:aws:states:us-east-1:123456789012:stateMachine:{NAME}"
ENDS_AT_ONCE = {"StartAt": "End", "States": {"End": {"Type": "Succeed"}}}
BUCKET = "uploadsbucket"
QUEUE = "ingest"
QUEUE_URL = f"https://sqs.us-east-1.amazonaws.com/123456789012/{QUEUE}"

Step = Callable[[dict[str, Any], Any], dict[str, Any]]


def create_places() -> None:
    """The bucket as the template has it, and the machine, in whatever AWS there is."""
    assert template_buckets.create_bucket(boto3.client("s3"), "UploadsBucket") == BUCKET
    assert boto3.client("sqs").create_queue(QueueName=QUEUE)["QueueUrl"] == QUEUE_URL
    boto3.client("stepfunctions").create_state_machine(
        name=NAME,
        definition=json.dumps(ENDS_AT_ONCE),
        roleArn="arn:aws:iam::123456789012:role/machine",
    )


def key(tenant: str, namespace: str, path: str) -> str:
    """The key of a document's file."""
    return UploadPlace(tenant, namespace, path).key


def put(tenant: str, ns: str, path: str, data: bytes, headers: Mapping[str, str]) -> None:
    """What an upload with these headers leaves in the bucket."""
    metadata = {k.removeprefix("x-amz-meta-"): v for k, v in headers.items() if "-meta-" in k}
    told: Any = {"ContentType": headers["Content-Type"]} if "Content-Type" in headers else {}
    boto3.client("s3").put_object(
        Bucket=BUCKET, Key=key(tenant, ns, path), Body=data, Metadata=metadata, **told
    )


def asked_again() -> list[dict[str, Any]]:
    """The messages of ingest's queue, which are taken off it."""
    sqs = boto3.client("sqs")
    found = sqs.receive_message(QueueUrl=QUEUE_URL, MaxNumberOfMessages=10).get("Messages", [])
    for one in found:
        sqs.delete_message(QueueUrl=QUEUE_URL, ReceiptHandle=one["ReceiptHandle"])
    return [json.loads(one["Body"]) for one in found]


def started() -> list[dict[str, Any]]:
    """What was started so far, in no order."""
    client = boto3.client("stepfunctions")
    found = client.list_executions(stateMachineArn=ARN)["executions"]
    return [
        json.loads(client.describe_execution(executionArn=one["executionArn"])["input"])
        for one in found
    ]


def run(handler: Step, payload: Mapping[str, Any]) -> None:
    """Take all steps of one job; a step that fails ends it, and the function is told."""
    told = {"tenant": payload["tenant"], "job": payload["job"]}

    def step(name: str, **more: Any) -> dict[str, Any]:
        return handler({"step": name, **told, **more}, Context())

    try:
        KINDS[payload["kind"]](step, payload)
    except Exception as error:  # noqa: BLE001  # as the machine catches whatever a step raises
        cause = json.dumps({"errorType": type(error).__name__, "errorMessage": str(error)})
        step("failed", error={"Error": type(error).__name__, "Cause": cause})


def _reconcile(step: Callable[..., dict[str, Any]], payload: Mapping[str, Any]) -> None:
    plan = payload["plan"] if payload["prepared"] else step("plan")
    if plan["apply"]:
        for page in plan["pages"]:
            step("prepare", page=page)
        for name in ("apply", "verify"):
            _until_done(step, name)
    step("finish")


def _purge(step: Callable[..., dict[str, Any]], _: Mapping[str, Any]) -> None:
    _until_done(step, "erase")
    step("finish")


def _canonical(step: Callable[..., dict[str, Any]], _: Mapping[str, Any]) -> None:
    _until_done(step, "mend")
    step("finish")


def _until_done(step: Callable[..., dict[str, Any]], name: str) -> None:
    while not step(name)["done"]:
        pass


KINDS: Mapping[str, Callable[..., None]] = {
    "reconcile": _reconcile,
    "purge": _purge,
    "canonical": _canonical,
}
