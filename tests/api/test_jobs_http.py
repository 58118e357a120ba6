"""`GET /jobs/{id}`, and what becomes of a pass that is a job."""

import json
import uuid
from typing import Any

import boto3
import pytest

from api import machine
from api.conftest import Http

OLD = [{"id": "a", "text": "Ada keeps bees."}, {"id": "b", "text": "Ben bakes bread."}]
pytestmark = pytest.mark.usefixtures("places")


@pytest.fixture
def begun(http: Http) -> Any:
    """A job that has not been looked at yet."""
    answer = http.reconcile(revision=5, active=OLD, mode="async")
    assert answer.status == 202
    return answer.body["job"]


def test_what_a_202_tells_is_what_the_job_tells(http: Http, begun: Any) -> None:
    assert begun == {
        "id": begun["id"],
        "kind": "reconcile",
        "status": "queued",
        "progress": {"done": 0, "total": 0},
        "started_at": None,
        "finished_at": None,
        "result": None,
        "error": None,
    }
    assert begun["id"].startswith("notes~reconcile-")
    assert http.job(begun["id"]).body == begun


def test_it_runs_and_ends_with_the_report_of_the_pass(http: Http, begun: Any) -> None:
    done = http.run(begun["id"])
    assert (done["status"], done["error"]) == ("succeeded", None)
    assert done["progress"] == {"done": 2, "total": 2}
    assert done["started_at"] <= done["finished_at"]
    report = done["result"]
    assert (report["applied"], report["added"], report["verified"]) == (True, 2, True)
    assert (report["source_revision"], report["warnings"]) == (5, [])
    assert http.active() == {"a": OLD[0]["text"], "b": OLD[1]["text"]}
    again = http.reconcile(revision=6, active=OLD).body
    assert report.keys() == again.keys()


def test_warnings_of_its_list_come_with_the_202_and_not_again(http: Http) -> None:
    active = [{"id": "a", "text": "x\0"}]
    answer = http.reconcile(revision=1, active=active, mode="async")
    assert [one["field"] for one in answer.body["warnings"]] == ["active.0.text"]
    assert http.run(answer.body["job"]["id"])["result"]["warnings"] == []


def test_between_its_steps_it_tells_how_far_it_is(http: Http, begun: Any) -> None:
    (payload,) = machine.started()
    step = {"step": "plan", "tenant": payload["tenant"], "job": payload["job"]}
    http._modules["jobs"].handler(step, None)
    running = http.job(begun["id"]).body
    assert (running["status"], running["progress"]) == ("running", {"done": 0, "total": 2})
    assert running["started_at"]
    assert running["finished_at"] is running["result"] is None


def test_one_that_another_pass_has_overtaken_succeeds_with_a_stale_report(
    http: Http, begun: Any
) -> None:
    http.reconcile(revision=6, active=OLD[:1])
    done = http.run(begun["id"])
    assert done["status"] == "succeeded"
    told = {name: done["result"][name] for name in ("applied", "reason", "newest")}
    assert told == {"applied": False, "reason": "stale", "newest": 6}
    assert http.active() == {"a": OLD[0]["text"]}


def test_one_that_cannot_succeed_fails_and_says_why(http: Http) -> None:
    key = f"lists/{http.grant['tenant']}/list.jsonl"
    boto3.client("s3").put_object(Bucket=machine.BUCKET, Key=key, Body=b"{}")
    uri = f"s3://{machine.BUCKET}/{key}"
    begun = http.reconcile(revision=1, active_uri=uri, mode="async").body["job"]
    boto3.client("s3").delete_object(Bucket=machine.BUCKET, Key=key)
    done = http.run(begun["id"])
    assert (done["status"], done["result"]) == ("failed", None)
    assert done["finished_at"]
    assert done["error"]["type"] == "invalid-request"
    assert done["error"]["errors"][0]["loc"] == ["body", "active_uri"]


def test_one_that_its_machine_gave_up_tells_nothing_of_the_cause(http: Http, begun: Any) -> None:
    step = {"step": "failed", "tenant": http.grant["tenant"], "job": begun["id"]}
    error = {"Error": "RuntimeError", "Cause": json.dumps({"errorMessage": "secret"})}
    http._modules["jobs"].handler({**step, "error": error}, None)
    failed = http.job(begun["id"])
    assert (failed.body["status"], failed.body["error"]["type"]) == ("failed", "internal")
    assert "secret" not in failed.raw


@pytest.mark.parametrize("scopes", ["read", "write", "admin"])
def test_any_scope_reads_it(http: Http, begun: Any, scopes: str) -> None:
    assert http.job(begun["id"], grant={**http.grant, "scopes": scopes}).status == 200


def test_credentials_are_wanted_and_must_not_be_over(http: Http, begun: Any) -> None:
    http.job(begun["id"], grant=None).problem(401, "unauthorized")
    over = {**http.grant, "expires_at": "2020-01-01T00:00:00.000Z"}
    http.job(begun["id"], grant=over).problem(403, "forbidden")


def test_another_tenants_job_is_as_one_that_never_was(http: Http, begun: Any) -> None:
    rival = {**http.grant, "tenant": "rival"}
    never = f"notes~reconcile-{uuid.uuid4()}"
    told = [
        http.job(begun["id"], grant=rival).problem(404, "not-found"),
        http.job(never, grant=rival).problem(404, "not-found"),
        http.job(never).problem(404, "not-found"),
    ]
    assert told[0] == told[1] == told[2]


def test_the_job_of_a_namespace_outside_the_keys_patterns_is_403(http: Http, begun: Any) -> None:
    narrow = {**http.grant, "namespaces": "team-*"}
    http.job(begun["id"], grant=narrow).problem(403, "forbidden")
    http.job(f"notes~purge-{uuid.uuid4()}", grant=narrow).problem(403, "forbidden")
    assert http.job(begun["id"], grant={**http.grant, "namespaces": "no*"}).status == 200


@pytest.mark.parametrize(
    "job_id",
    [
        "x",
        "notes",
        "notes~",
        "notes~reconcile-",
        "notes~reconcile-1234",
        "~reconcile-9f9d2e6c-3c66-4c8b-9f1c-0c1c7f9d5a11",
        ".x~reconcile-9f9d2e6c-3c66-4c8b-9f1c-0c1c7f9d5a11",
        "notes~other-9f9d2e6c-3c66-4c8b-9f1c-0c1c7f9d5a11",
        "notes~reconcile-9f9d2e6c-3c66-4c8b-9f1c-0c1c7f9d5a111",
        "notes~reconcile-9F9D2E6C-3c66-4c8b-9f1c-0c1c7f9d5a11",
        "notes reconcile",
        "é",
        "\0",
        "x" * 300,
    ],
)
def test_what_can_be_no_jobs_id_is_404(http: Http, job_id: str) -> None:
    http.job(job_id).problem(404, "not-found")
    narrow = {**http.grant, "namespaces": "team-*"}
    http.job(job_id, grant=narrow).problem(404, "not-found")
