"""`Idempotency-Key` on passes and purges, through the handlers."""

from typing import Any

import boto3
import pytest

from api import machine
from api.conftest import RECORD, Answer, Http
from api.memory_table import NAME, TABLE
from palimpsest.services import answer_once

A = [{"id": "a", "text": "Ada keeps bees."}]
B = [{"id": "b", "text": "Ben bakes bread."}]
pytestmark = pytest.mark.usefixtures("places")


def keyed(http: Http, key: str = "k1", **body: Any) -> Answer:
    asked = {"revision": 1, "active": A, **body}
    return http.reconcile(**asked, headers={"Idempotency-Key": key})


def purged(http: Http, key: str = "k1", **options: Any) -> Answer:
    return http.purge(headers={"Idempotency-Key": key}, **options)


def under_way(http: Http) -> dict[str, Any]:
    """Make of the answer that is kept the claim that stood there before it; the item then."""
    (item,) = [one for one in http.items_of("notes") if one["sk"]["S"].startswith("K#")]
    claim = {name: value for name, value in item.items() if name not in {"rep", "job"}}
    TABLE.put_item(TableName=NAME, Item=claim)
    return claim


def test_a_repeated_pass_gives_the_first_answer_also_after_a_newer_one(http: Http) -> None:
    first = keyed(http)
    http.reconcile(revision=2, active=B)
    before = http.items_of("notes")
    again = keyed(http)
    assert (again.status, again.body) == (200, first.body)
    assert http.items_of("notes") == before
    assert http.active() == {"b": B[0]["text"]}
    assert keyed(http, key="k2").body["reason"] == "stale"


@pytest.mark.parametrize("asked", [{}, {"dry_run": True}, {"revision": 0}])
def test_any_kind_of_answer_is_given_again(http: Http, asked: dict[str, Any]) -> None:
    http.reconcile(revision=5, active=B)
    first = keyed(http, **asked)
    http.reconcile(revision=6, active=[])
    assert keyed(http, **asked).body == first.body


def test_a_repeated_canonical_reconcile_gives_the_first_answer(http: Http) -> None:
    body: dict[str, Any] = {"revision": None, "active": None, "source": "canonical"}
    first = keyed(http, **body)
    http.put("a", {"text": "x"})
    assert first.body["verification"]["revision"] == 0
    assert keyed(http, **body).body == first.body


def test_warnings_come_again_also_of_a_list_that_is_not_read_again(http: Http) -> None:
    key = f"lists/{http.grant['tenant']}/list.jsonl"
    s3 = boto3.client("s3")
    s3.put_object(Bucket=machine.BUCKET, Key=key, Body=b'{"id": "a", "text": "x\\u0000"}')
    body: dict[str, Any] = {"active": None, "active_uri": f"s3://{machine.BUCKET}/{key}"}
    first = keyed(http, **body)
    s3.delete_object(Bucket=machine.BUCKET, Key=key)
    assert keyed(http, **body).body == first.body
    assert [one["field"] for one in first.body["warnings"]] == ["active_uri.1.text"]
    inline = [keyed(http, key="k2", active=[{"id": "a", "text": "y\0"}]).body for _ in range(2)]
    assert inline[0] == inline[1]
    assert inline[0]["warnings"]


def test_a_repeated_request_that_became_a_job_names_that_job_and_starts_no_other(
    http: Http,
) -> None:
    first = keyed(http, mode="async")
    assert keyed(http, mode="async").body == first.body
    done = http.run(first.body["job"]["id"])
    again = keyed(http, mode="async")
    assert (again.status, again.body["job"]) == (202, done)
    assert len(machine.started()) == 1


@pytest.mark.parametrize(
    "another",
    [
        {"revision": 2},
        {"active": B},
        {"forget": True},
        {"dry_run": True},
        {"mode": "async"},
        {"revision": None, "active": None, "source": "canonical"},
    ],
)
def test_the_key_with_another_request_is_a_mismatch(http: Http, another: dict[str, Any]) -> None:
    keyed(http)
    keyed(http, **another).problem(409, "idempotency-mismatch")
    purged(http).problem(409, "idempotency-mismatch")
    put = {"path": {"ns": "notes", "id": "a"}, "headers": {"Idempotency-Key": "k1"}}
    http.request("PUT", RECORD, body={"text": "x"}, **put).problem(409, "idempotency-mismatch")
    assert (http.clock(), http.active()) == (1, {"a": A[0]["text"]})
    assert machine.started() == []


def test_a_key_that_came_with_a_put_is_a_mismatch_for_a_pass(http: Http) -> None:
    http.put("a", {"text": "x"}, headers={"Idempotency-Key": "k1"})
    keyed(http).problem(409, "idempotency-mismatch")
    purged(http).problem(409, "idempotency-mismatch")
    assert http.active() == {"a": "x"}


def test_keys_of_two_namespaces_and_tenants_do_not_meet(http: Http) -> None:
    keyed(http)
    other = keyed(http, namespace="other", active=B)
    assert (other.status, other.body["added"]) == (200, 1)
    headers = {"Idempotency-Key": "k1"}
    rival = {**http.grant, "tenant": "rival"}
    theirs = http.reconcile(revision=3, active=B, grant=rival, headers=headers)
    assert (theirs.status, theirs.body["added"]) == (200, 1)


def test_while_the_first_is_at_work_it_is_in_progress_with_a_time_to_come_again(
    http: Http, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answer_once, "PATIENCE_S", 0)
    keyed(http)
    claim = under_way(http)
    problem = keyed(http)
    problem.problem(409, "in-progress")
    assert int(problem.headers["retry-after"]) >= 1
    keyed(http, active=B).problem(409, "idempotency-mismatch")  # another request is one even now
    over = {**claim, "until": {"N": "1"}}  # as of a process that was killed long ago
    TABLE.put_item(TableName=NAME, Item=over)
    assert keyed(http).body["unchanged"] == 1


def test_failures_are_not_kept(http: Http) -> None:
    keyed(http, active=[*A, *A]).problem(422, "invalid-request")
    assert keyed(http).body["added"] == 1


@pytest.mark.parametrize("key", ["k" * 255, " ", "~", "a key: with/all #sorts"])
def test_a_key_is_1_to_255_printable_characters(http: Http, key: str) -> None:
    assert keyed(http, key=key).status == 200
    assert purged(http, key=f"!{key}"[:255]).status == 202


@pytest.mark.parametrize("key", ["", "k" * 256, "a\tb", "é", "a\x7f"])
def test_anything_else_is_no_key(http: Http, key: str) -> None:
    for answer in (keyed(http, key=key), purged(http, key=key)):
        problem = answer.problem(422, "invalid-request")
        assert problem["errors"][0]["loc"] == ["header", "idempotency-key"]
    assert http.clock() == 0


def test_a_repeated_purge_names_the_first_ones_job_and_purges_once(http: Http) -> None:
    http.put("a", {"text": "x"})
    first = purged(http)
    assert purged(http).body == first.body
    http.put("b", {"text": "y"})
    done = http.run(first.body["job"]["id"])
    again = purged(http)
    assert (again.status, again.body["job"]) == (202, done)
    assert (http.active(), len(machine.started())) == ({"b": "y"}, 1)
    keyed(http).problem(409, "idempotency-mismatch")
    elsewhere = purged(http, ns="other")
    assert elsewhere.body["job"]["id"].startswith("other~purge-")
