"""`DELETE /namespaces/{ns}`, through the handlers."""

from typing import Any

import boto3
import pytest

from api import machine
from api.conftest import RECORD, Http

TEXT = "Ada keeps walnutbees."
NOTHING = dict.fromkeys(
    (
        *("lexical", "semantic", "records", "history", "vectors"),
        *("ledger", "erasures", "documents", "marks", "objects"),
    ),
    0,
)
pytestmark = pytest.mark.usefixtures("places")


@pytest.fixture
def filled(http: Http) -> Http:
    """A tenant with records in every state, indexed, in a namespace at revision 5."""
    http.put("a", {"text": "before"})
    http.put("a", {"text": TEXT})
    http.put("b", {"text": TEXT})
    http.put("c", {"text": TEXT, "supersedes": ["b"]})
    http.project()
    http.delete("a")
    assert http.clock() == 5
    return http


def changes(http: Http) -> Any:
    return http.request("GET", "/namespaces/{ns}/changes", path={"ns": "notes"}).body


def test_at_once_nothing_is_shown_on_any_read(filled: Http) -> None:
    answer = filled.purge()
    job = answer.body["job"]
    assert (answer.status, answer.body["warnings"]) == (202, [])
    assert (job["kind"], job["status"], job["progress"]["total"]) == ("purge", "queued", 3)
    assert filled.job(job["id"]).body == job
    assert filled.clock() == 6
    status = filled.namespace().body
    assert {status["counts"][name] for name in ("active", "superseded", "deleted")} == {0}
    for record_id in "abc":
        for query in ({}, {"revision": "4"}):
            filled.get(record_id, query=query).problem(404, "not-found")
        for more in ("revisions", "receipt"):
            path = {"ns": "notes", "id": record_id}
            resource = f"{RECORD}/{more}"
            filled.request("GET", resource, path=path).problem(404, "not-found")
    listed = {"path": {"ns": "notes"}, "query": {"status": "any"}}
    assert filled.request("GET", "/namespaces/{ns}/records", **listed).body["records"] == []
    told = changes(filled)
    assert (told["changes"], told["revision"], told["floor"]) == ([], 6, 6)
    for mode in ("hybrid", "lexical", "semantic"):
        assert filled.found("walnutbees", mode=mode) == []


def test_the_job_erases_everything_and_its_receipt_tells_nothing_is_left(filled: Http) -> None:
    s3, tenant = boto3.client("s3"), filled.grant["tenant"]
    for _ in range(2):  # two versions
        s3.put_object(Bucket=machine.BUCKET, Key=f"uploads/{tenant}/notes/x.txt", Body=b"walnut")
    done = filled.run(filled.purge().body["job"]["id"])
    assert (done["status"], done["error"]) == ("succeeded", None)
    assert done["result"] == {"receipt": NOTHING, "revision": 6}
    assert done["progress"] == {"done": 3, "total": 3}
    assert "walnut" not in str(filled.items_of("notes"))
    assert s3.list_object_versions(Bucket=machine.BUCKET).get("Versions", []) == []
    assert filled.found("walnutbees", mode="lexical") == []


def test_ids_can_be_used_again_and_revisions_go_on(filled: Http) -> None:
    job = filled.purge().body["job"]
    put = filled.put("a", {"text": "Anew."})
    assert (put.status, put.body["revision"]) == (201, 7)
    filled.run(job["id"])
    filled.project()
    assert filled.active() == {"a": "Anew."}
    assert filled.found("anew", mode="lexical") == ["a"]
    assert filled.reconcile(revision=1, active=[{"id": "b", "text": "x"}]).body["added"] == 1


def test_objects_of_a_namespace_whose_name_is_encoded_in_their_keys_go_too(http: Http) -> None:
    s3, tenant = boto3.client("s3"), http.grant["tenant"]
    kept = [f"uploads/{tenant}/team/x.txt", f"uploads/{tenant}/notes/x.txt"]
    for key in (*kept, f"uploads/{tenant}/team%3Aa%40b/x.txt"):
        s3.put_object(Bucket=machine.BUCKET, Key=key, Body=b"x")
    done = http.run(http.purge("team:a@b").body["job"]["id"])
    assert done["result"]["receipt"] == NOTHING
    left = s3.list_object_versions(Bucket=machine.BUCKET)["Versions"]
    assert {one["Key"] for one in left} == set(kept)


def test_a_namespace_never_used_can_be_purged(http: Http) -> None:
    done = http.run(http.purge("nowhere").body["job"]["id"])
    assert (done["result"]["receipt"], done["progress"]["total"]) == (NOTHING, 0)


def test_it_ends_a_pass_that_has_begun_and_its_revision_may_begin_again(http: Http) -> None:
    active = [{"id": "a", "text": TEXT}]
    begun = http.reconcile(revision=3, active=active, mode="async").body["job"]
    purge = http.purge().body["job"]
    told = http.run(begun["id"])
    assert (told["status"], told["result"]["reason"]) == ("succeeded", "stale")
    assert http.run(purge["id"])["result"]["receipt"] == NOTHING
    assert http.active() == {}
    assert http.reconcile(revision=3, active=active).body["applied"]


def test_another_namespace_and_the_same_of_another_tenant_stay(filled: Http) -> None:
    filled.put("a", {"text": TEXT}, ns="other")
    rival = {**filled.grant, "tenant": "rival"}
    filled.put("a", {"text": TEXT}, grant=rival)
    filled.project("other")
    filled.project(tenant="rival")
    filled.run(filled.purge().body["job"]["id"])
    assert filled.active("other") == {"a": TEXT}
    assert filled.found("walnutbees", namespace="other") == ["a"]
    assert filled.get("a", grant=rival).body["text"] == TEXT


def test_a_second_purge_is_a_job_of_its_own(filled: Http) -> None:
    first, second = (filled.purge().body["job"]["id"] for _ in range(2))
    assert first != second
    for job_id in (second, first):
        assert filled.run(job_id)["result"]["receipt"] == NOTHING
    assert filled.clock() == 7


@pytest.mark.parametrize("header", ["If-Match", "If-None-Match"])
def test_a_guard_that_means_nothing_here_is_refused(filled: Http, header: str) -> None:
    problem = filled.purge(headers={header: '"5"'}).problem(422, "invalid-request")
    assert problem["errors"][0]["loc"] == ["header", header.lower()]
    assert filled.clock() == 5


@pytest.mark.parametrize("ns", [".x", "a b", "x" * 129, "é"])
def test_what_is_no_namespace_is_422(http: Http, ns: str) -> None:
    problem = http.purge(ns).problem(422, "invalid-request")
    assert problem["errors"][0]["loc"] == ["path", "ns"]


def test_a_key_that_may_write_or_has_other_namespaces_purges_nothing(filled: Http) -> None:
    for lesser in ({"scopes": "write"}, {"namespaces": "team-*"}):
        filled.purge(grant={**filled.grant, **lesser}).problem(403, "forbidden")
    assert (filled.clock(), machine.started()) == (5, [])
