"""The messages of ingest: events of the bucket in every form, its own, and what is no message."""

import json
from typing import Any
from urllib.parse import quote_plus

import pytest

from api import machine
from api.conftest import Http
from http_event import Context
from ingest import handler
from palimpsest.adapters.simulated import Fault, FaultKind

pytestmark = pytest.mark.usefixtures("places")
STRANGE = "this im + age %41 (1)&語.txt"


def message(body: Any, name: str = "m") -> dict[str, Any]:
    return {"messageId": name, "body": body if isinstance(body, str) else json.dumps(body)}


def handled(*messages: dict[str, Any]) -> list[str]:
    """The messages that failed."""
    told = handler.handler({"Records": list(messages)}, Context())
    return [one["itemIdentifier"] for one in told["batchItemFailures"]]


def put(http: Http, path: str, text: str = "A gannet.") -> str:
    machine.put(http.grant["tenant"], "notes", path, text.encode(), {})
    return machine.key(http.grant["tenant"], "notes", path)


def states(http: Http) -> dict[str, str]:
    found = http.request("GET", "/namespaces/{ns}/documents", path={"ns": "notes"}).body
    return {one["path"]: one["state"] for one in found["documents"]}


def test_g1_eventbridge_tells_keys_as_they_are(http: Http) -> None:
    key = put(http, STRANGE)
    assert handled(message({"detail": {"object": {"key": key}}})) == []
    assert states(http) == {STRANGE: "ready"}


def test_g1_s3_itself_tells_them_url_encoded_and_several_at_once(http: Http) -> None:
    keys = [put(http, STRANGE), put(http, "b.txt")]
    records = [{"s3": {"object": {"key": quote_plus(key, safe="/")}}} for key in keys]
    assert handled(message({"Records": records})) == []
    assert states(http) == {STRANGE: "ready", "b.txt": "ready"}


@pytest.mark.parametrize(
    ("rest", "ignored"), [("a/../b.txt", 1), ("p" * 513, 1), ("a\nb.txt", 1), ("folder/", 0)]
)
def test_an_object_that_can_be_no_document_is_left_alone_and_counted(
    http: Http, capsys: pytest.CaptureFixture[str], rest: str, ignored: int
) -> None:
    key = machine.key(http.grant["tenant"], "notes", rest)
    assert handled(message({"detail": {"object": {"key": key}}})) == []
    assert states(http) == {}
    assert capsys.readouterr().out.count('"UploadsIgnored":') == ignored


def test_g4_only_what_cannot_be_understood_is_reported_back(http: Http) -> None:
    key = put(http, "good.txt")
    failed = handled(
        message("no json", "m1"),
        message({"Event": "s3:TestEvent", "Bucket": "b"}, "m2"),
        message({"something": "else"}, "m3"),
        message([1], "m4"),
        message({"detail": {"object": {"key": "uploads/acme/notes/folder/"}}}, "m5"),
        message({"key": "lists/acme/x.jsonl"}, "m6"),
        message({"key": key}, "m7"),
    )
    assert failed == ["m1", "m3", "m4"]
    assert states(http) == {"good.txt": "ready"}


def test_d17_a_document_that_waits_for_its_embedder_comes_again_later(
    http: Http, modules: dict[str, Any]
) -> None:
    embedder = modules["ingest"].services().ingesting.writing.embedding.embedder
    embedder.inject(Fault(kind=FaultKind.OUTAGE))
    key = put(http, "a.txt")
    assert handled(message({"key": key})) == []
    assert states(http) == {"a.txt": "pending"}
    ledger = http.request("GET", "/namespaces/{ns}/unsearchable", path={"ns": "notes"}).body
    assert [(one["type"], one["reason"]) for one in ledger["items"]] == [("document", "pending")]


def test_after_a_long_one_the_others_of_a_batch_go_back_to_the_queue(
    http: Http, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = [put(http, "a.txt"), put(http, "b.txt")]
    monkeypatch.setattr(handler, "BUSY_S", -1.0)
    assert handled(*(message({"key": key, "again": True}) for key in keys)) == []
    assert states(http) == {}
    asked = machine.asked_again()
    assert sorted(one["key"] for one in asked) == sorted(keys)
    assert all(one["again"] for one in asked)


def test_an_outage_is_reported_back_and_the_message_comes_again(
    http: Http, modules: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    key = put(http, "a.txt")
    queue = modules["ingest"].services().queue
    monkeypatch.setattr(queue, "_queue_url", f"{machine.QUEUE_URL}-gone")
    monkeypatch.setattr(handler, "BUSY_S", -1.0)
    assert handled(message({"key": key}, "m1")) == ["m1"]


def test_rounds_send_what_events_left_out(http: Http) -> None:
    key = put(http, "a.txt")
    assert handler.handler({"job": "sweep", "prefix": "uploads/nobody/"}, Context()) == {"sent": 0}
    assert handler.handler({"job": "sweep"}, Context()) == {"sent": 1}
    (asked,) = machine.asked_again()
    assert asked == {"key": key, "again": False}
    http.ingest(asked)
    assert states(http) == {"a.txt": "ready"}
    assert handler.handler({"job": "tend"}, Context()) == {"sent": 0}


class ShortLived(Context):
    """Of a function whose limit is a minute."""

    def get_remaining_time_in_millis(self) -> int:
        return 60_000


def test_a_function_with_a_short_limit_reads_files_all_the_same(http: Http) -> None:
    key = put(http, "a.txt")
    told = handler.handler({"Records": [message({"key": key})]}, ShortLived())
    assert told == {"batchItemFailures": []}
    assert states(http) == {"a.txt": "ready"}
