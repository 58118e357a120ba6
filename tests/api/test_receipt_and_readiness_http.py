"""Receipts and readiness through the handlers."""

from typing import Any

import pytest

from api.conftest import Answer, Http
from palimpsest.adapters.simulated import Fault, FaultKind
from palimpsest.domain.errors import DeadlineExceeded, Unavailable

RECEIPT = "/namespaces/{ns}/records/{id}/receipt"


def receipt(http: Http, record_id: str) -> Answer:
    return http.request("GET", RECEIPT, path={"ns": "notes", "id": record_id})


def test_f1_the_receipt_of_a_forgotten_record_ends_with_nothing_found(http: Http) -> None:
    http.put("a", {"text": "zebrasecret one"})
    http.put("a", {"text": "zebrasecret two"})
    http.project()
    revision = http.delete("a").body["revision"]
    before = receipt(http, "a").body
    assert (before["found"]["lexical"], before["erased"]) == (1, False)
    http.project()
    body = receipt(http, "a").body
    assert (body["id"], body["revision"], body["erased"]) == ("a", revision, True)
    assert set(body["found"].values()) == {0}
    assert {place["what"] for place in body["outside"]} == {
        "point_in_time_backups",
        "engine_segments",
    }
    assert "zebrasecret" not in str(body)


def test_living_unknown_and_impossible_ids_have_no_receipt(http: Http) -> None:
    http.put("b", {"text": "stays"})
    receipt(http, "b").problem(404, "not-found")
    receipt(http, "nobody").problem(404, "not-found")
    receipt(http, "a b").problem(422, "invalid-request")


def ready(http: Http) -> Answer:
    return http.request("GET", "/ready")


def test_ready_tells_each_dependency_and_its_latency(http: Http) -> None:
    body = ready(http).body
    assert body["status"] == "ok"
    assert set(body["dependencies"]) == {"table", "index", "embedder"}
    assert all(one["status"] == "ok" and one["ms"] >= 0 for one in body["dependencies"].values())


@pytest.mark.parametrize(
    ("kind", "status"), [(FaultKind.OUTAGE, "failed"), (FaultKind.TIMEOUT, "timeout")]
)
def test_without_the_embedder_it_is_degraded_and_says_so(
    http: Http, kind: FaultKind, status: str
) -> None:
    http.query_embedder.inject(Fault(kind=kind))
    body = ready(http).body
    assert (body["status"], body["dependencies"]["embedder"]["status"]) == ("degraded", status)
    assert body["dependencies"]["embedder"]["reason"]
    assert body["dependencies"]["table"]["status"] == "ok"


@pytest.mark.parametrize("error", [Unavailable, DeadlineExceeded])
def test_without_the_index_nothing_is_ready(
    http: Http, monkeypatch: pytest.MonkeyPatch, error: type[Unavailable]
) -> None:
    def down(*_: Any) -> str:
        raise error("down", stage="index")

    monkeypatch.setitem(http.readiness_checks, "index", down)
    problem = ready(http).problem(503, "unavailable")
    assert problem["stage"] == "index"


def test_ready_needs_a_key_that_may_read(http: Http) -> None:
    http.request("GET", "/ready", grant=None).problem(401, "unauthorized")
