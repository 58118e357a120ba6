import json
import re
from datetime import UTC, datetime
from typing import Any

import pytest

from palimpsest.domain.errors import FieldError, InvalidRequest
from palimpsest.domain.jobs import Job, JobKind, JobRefused, JobStatus, job_id, namespace_of

UNIQUE = "0f8fad5b-d9cb-469f-a165-70867728950e"


def job(kind: JobKind, namespace: str, status: JobStatus = JobStatus.QUEUED) -> Job:
    return Job(
        id=job_id(namespace, kind, UNIQUE),
        kind=kind,
        tenant="acme",
        namespace=namespace,
        status=status,
        created_at=datetime(2026, 6, 1, tzinfo=UTC),
    )


@pytest.mark.parametrize("kind", list(JobKind))
@pytest.mark.parametrize("namespace", ["notes", "a:b", "u@x", "ap_erp.1", "n" * 128])
def test_the_id_of_a_job_carries_its_namespace_and_its_name(kind: JobKind, namespace: str) -> None:
    one = job(kind, namespace)
    assert namespace_of(one.id) == namespace
    assert one.name == f"{kind.value}-{UNIQUE}"
    assert re.fullmatch(r"[A-Za-z0-9-]{1,80}", one.name)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "notes",
        f"notes~backup-{UNIQUE}",
        f"~purge-{UNIQUE}",
        f".notes~purge-{UNIQUE}",
        f"a/b~purge-{UNIQUE}",
        f"a~b~purge-{UNIQUE}",
        f"notes~purge-{UNIQUE[:-1]}",
        f"notes~purge-{UNIQUE}0",
        f"notes~purge-{UNIQUE}\n",
        f"{'n' * 129}~purge-{UNIQUE}",
        f"notes~purge-{UNIQUE.upper()}",
    ],
)
def test_what_is_no_id_of_a_job_carries_no_namespace(name: str) -> None:
    assert namespace_of(name) is None


def test_a_job_has_ended_once_it_succeeded_or_failed() -> None:
    ended = {status: job(JobKind.PURGE, "notes", status).ended for status in JobStatus}
    assert ended == {
        JobStatus.QUEUED: False,
        JobStatus.RUNNING: False,
        JobStatus.SUCCEEDED: True,
        JobStatus.FAILED: True,
    }


def told(refused: JobRefused, **other: Any) -> dict[str, Any]:
    """As a state machine tells what a function raised."""
    cause = {"errorMessage": str(refused), "errorType": "JobRefused", "stackTrace": []}
    return {"Error": "JobRefused", "Cause": json.dumps(cause), **other}


def test_a_refusal_comes_back_from_the_state_machine_as_it_was() -> None:
    wrong = InvalidRequest.one("body", "active_uri", 3, "id", msg="twice: „ä“", kind="twice")
    refused = JobRefused.of(wrong)
    assert refused.error == {
        "type": "invalid-request",
        "detail": "body.active_uri.3.id: twice: „ä“",
        "errors": [{"loc": ["body", "active_uri", 3, "id"], "msg": "twice: „ä“", "type": "twice"}],
    }
    assert JobRefused.told(told(refused)) == refused.error


def test_a_refusal_tells_a_bounded_part_of_what_is_wrong() -> None:
    for count, kept in ((100, 100), (101, 100)):
        refused = JobRefused.of(InvalidRequest([FieldError(("body",), "m", "t")] * count))
        assert len(refused.error["errors"]) == kept
    for length, kept in ((994, 1000), (995, 1000)):  # after "body: "
        refused = JobRefused.of(InvalidRequest.one("body", msg="m" * length))
        assert len(refused.error["detail"]) == kept


@pytest.mark.parametrize(
    "error",
    [
        {},
        {"Error": "States.Timeout"},
        {"Error": "JobRefused"},
        {"Error": "JobRefused", "Cause": None},
        {"Error": "JobRefused", "Cause": "no JSON"},
        {"Error": "JobRefused", "Cause": "[]"},
        {"Error": "JobRefused", "Cause": "{}"},
        {"Error": "JobRefused", "Cause": json.dumps({"errorMessage": "no JSON"})},
        {"Error": "JobRefused", "Cause": json.dumps({"errorMessage": "[1]"})},
        told(JobRefused({"type": "internal"}), Error="Unavailable"),
    ],
)
def test_what_a_state_machine_tells_of_anything_else_is_no_refusal(error: dict[str, Any]) -> None:
    assert JobRefused.told(error) is None
