"""Documents over HTTP: places to upload, states, lists, text, deleting, reading again."""

from datetime import UTC, datetime
from typing import Any

import pytest

from api import machine
from api.conftest import Http
from palimpsest.api.document_json import document_json
from palimpsest.domain.documents import Attempt, Document, DocumentState, document_id

pytestmark = pytest.mark.usefixtures("places")
DOCUMENTS = "/namespaces/{ns}/documents"
BOOK = "# Book\n\n" + "".join(
    f"## Chapter {n}\n\n" + f"A sentence of chapter {n}. " * 40 + "\n\n" for n in range(6)
)


def documents(http: Http, ns: str = "notes", **options: Any) -> Any:
    return http.request("GET", DOCUMENTS, path={"ns": ns}, **options)


def paths(http: Http, **query: str) -> list[str]:
    found = documents(http, query=query or None)
    assert found.status == 200
    return [one["path"] for one in found.body["documents"]]


def test_an_upload_is_listed_found_and_read_once_it_has_arrived(http: Http) -> None:
    path = {"ns": "notes"}
    granted = http.request("POST", DOCUMENTS, path=path, body={"path": "a/ferry.md"})
    assert granted.status == 201
    assert granted.body["document_id"] == document_id("a/ferry.md")
    assert granted.body["upload"]["method"] == "PUT"
    assert documents(http).body == {"documents": [], "next_cursor": None}
    its_id = http.upload("a/ferry.md", b"# Ferry\n\nIt leaves for the island at nine.\n")
    document = http.document(its_id).body
    told = ("state", "reason", "path", "bytes", "chunks", "generation", "title")
    assert [document[name] for name in told] == [
        *("ready", None, "a/ferry.md", 43, 1, 1),
        "Ferry",
    ]
    assert documents(http).body["documents"] == [document]
    (hit,) = http.search("island", mode="lexical").body["hits"]
    assert hit["document"]["id"] == its_id
    assert hit["source"]["locator"] == "lines 1-3"
    record = http.get(hit["id"]).body
    assert record["document"] == hit["document"]
    text = http.document(its_id, "/text").body
    assert text == {
        "text": "# Ferry\n\nIt leaves for the island at nine.\n",
        "offset": 0,
        "total": 43,
        "next_offset": None,
    }
    start, end = hit["document"]["start"], hit["document"]["end"]
    assert text["text"][start:end] == hit["text"]


def test_what_was_told_of_an_upload_is_on_its_chunks_and_filters_find_them(http: Http) -> None:
    its_id = http.upload(
        "b.txt",
        b"The gannet dives.",
        content_type="text/plain",
        metadata={"team": "blue", "sizes": ["s", "m"]},
        event_time="2026-05-01T10:00:00Z",
    )
    http.upload("c.txt", b"The gannet nests.")
    document = http.document(its_id).body
    assert document["metadata"] == {"team": "blue", "sizes": ["s", "m"]}
    assert (document["content_type"], document["event_time"]) == (
        "text/plain",
        "2026-05-01T10:00:00.000Z",
    )
    for wanted in (
        {"metadata.team": "blue"},
        {"metadata.sizes": "m"},
        {"document.id": its_id},
        {"event_time": {"gte": "2026-05-01T00:00:00Z"}},
    ):
        hits = http.search("gannet", filter=wanted).body["hits"]
        assert [hit["document"]["id"] for hit in hits] == [its_id]
    machine.put(http.grant["tenant"], "notes", "b.txt", b"The gannet soars.", {})
    http.look("b.txt")
    assert http.document(its_id).body["metadata"]["team"] == "blue"


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"path": ""},
        {"path": "p" * 513},
        {"path": "語" * 171},
        {"path": "../x.txt"},
        {"path": "a/../../x"},
        {"path": "a/"},
        {"path": "a\0b"},
        {"path": 5},
        {"path": None},
        {"path": "a", "tenant": "demo"},
        {"path": "a", "metadata": {"x": {}}},
        {"path": "a", "metadata": {f"k{n}": 1 for n in range(51)}},
        {"path": "a", "event_time": "2026-05-01T10:00:00"},
        {"path": "a", "content_type": "text/plain\r\nX: y"},
        {"path": "a", "content_type": ""},
    ],
)
def test_a_place_is_asked_for_by_the_rules(http: Http, body: Any) -> None:
    answer = http.request("POST", DOCUMENTS, path={"ns": "notes"}, body=body)
    answer.problem(422, "invalid-request")
    assert documents(http).body["documents"] == []


@pytest.mark.parametrize("path", ["p" * 512, "語" * 170, "a b+c%2F&=?#.txt", "🙂.txt", "a/b/..c"])
def test_any_name_of_a_file_is_a_path(http: Http, path: str) -> None:
    its_id = http.upload(path, b"Some text.")
    assert http.document(its_id).body["path"] == path
    assert paths(http, path=path) == [path]


def test_g2_a_name_in_decomposed_form_is_shown_composed_and_found_in_either(http: Http) -> None:
    http.upload("re\u0301sume\u0301.txt", b"A glassblower.")
    assert paths(http) == ["r\u00e9sum\u00e9.txt"]
    assert paths(http, path="r\u00e9sum\u00e9.txt") == ["r\u00e9sum\u00e9.txt"]
    assert paths(http, path="re\u0301sume\u0301.txt") == ["r\u00e9sum\u00e9.txt"]
    assert paths(http, path="resume.txt") == []


def test_a_list_is_paged_and_bound_to_its_request(http: Http) -> None:
    ids = {http.upload(f"{n}.txt", f"Text number {n}.".encode()) for n in range(5)}
    found, cursor = list[str](), None
    while True:
        query = {"limit": "2"} | ({"cursor": cursor} if cursor else {})
        page = documents(http, query=query).body
        found += [one["id"] for one in page["documents"]]
        assert len(page["documents"]) <= 2
        cursor = page["next_cursor"]
        if cursor is None:
            break
        documents(http, "other", query=query | {"cursor": cursor}).problem(422, "cursor-mismatch")
    assert (len(found), set(found)) == (5, ids)
    for limit in ("0", "101", "x"):
        documents(http, query={"limit": limit}).problem(422, "invalid-request")


def test_the_text_is_paged_without_loss(http: Http) -> None:
    text = " ".join(f"wörd{n}" for n in range(3_000))
    its_id = http.upload("long.txt", text.encode())
    got = ""
    offset: int | None = 0
    while offset is not None:
        page = http.document(its_id, "/text", query={"offset": str(offset), "limit": "777"}).body
        got, offset = got + page["text"], page["next_offset"]
    assert got == text
    beyond = http.document(its_id, "/text", query={"offset": str(len(text) + 5)}).body
    assert (beyond["text"], beyond["next_offset"], beyond["total"]) == ("", None, len(text))
    whole = http.document(its_id, "/text", query={"limit": "100000"}).body
    assert whole["text"] == text
    for query in ({"offset": "-1"}, {"limit": "0"}, {"limit": "100001"}, {"offset": "x"}):
        http.document(its_id, "/text", query=query).problem(422, "invalid-request")


@pytest.mark.parametrize(
    ("data", "state", "reason"),
    [
        (b"", "no_text", "no_text"),
        (b"\x89PNG\r\n\x1a\n" + bytes(range(256)), "failed", "unsupported_type"),
    ],
)
def test_g5_what_cannot_be_read_says_why_counts_and_stands_in_the_ledger(
    http: Http, data: bytes, state: str, reason: str
) -> None:
    its_id = http.upload("odd", data)
    document = http.document(its_id).body
    assert (document["state"], document["reason"], document["chunks"]) == (state, reason, 0)
    assert document["detail"]
    ledger = http.request("GET", "/namespaces/{ns}/unsearchable", path={"ns": "notes"}).body
    (entry,) = ledger["items"]
    assert (entry["type"], entry["id"], entry["reason"]) == ("document", its_id, reason)
    counts = http.namespace().body["counts"]
    assert (counts["documents"], counts["unsearchable"], counts["active"]) == (1, 1, 0)
    http.document(its_id, "/text").problem(409, "not-ready")
    retried = http.request("POST", "/namespaces/{ns}/unsearchable/retry", path={"ns": "notes"})
    assert (retried.status, retried.body) == (202, {"accepted": 1})
    key = machine.key(http.grant["tenant"], "notes", "odd")
    assert machine.asked_again() == [{"key": key, "again": True}]
    machine.put(http.grant["tenant"], "notes", "odd", b"Text at last.", {})
    http.look("odd")
    assert http.document(its_id).body["state"] == "ready"
    counts = http.namespace().body["counts"]
    assert (counts["documents"], counts["unsearchable"], counts["active"]) == (1, 0, 1)


def test_f1_a_deleted_document_is_gone_at_once_with_its_chunks_and_object(http: Http) -> None:
    its_id = http.upload("gone.md", BOOK.encode())
    chunks = http.found("sentence of chapter", limit=50)
    assert len(chunks) > 2
    headers = {"Idempotency-Key": "k"}
    done = http.document(its_id, method="DELETE", headers=headers)
    assert (done.status, done.body) == (200, {"id": its_id, "revision": http.clock()})
    again = http.document(its_id, method="DELETE", headers=headers)
    assert (again.status, again.body) == (200, done.body)
    http.document(its_id, method="DELETE").problem(404, "not-found")
    assert http.found("sentence of chapter") == []
    for rest in ("", "/text"):
        http.document(its_id, rest).problem(404, "not-found")
    for chunk in chunks:
        http.get(chunk).problem(404, "not-found")
    assert documents(http).body["documents"] == []
    assert http.namespace().body["counts"]["active"] == 0
    http.look("gone.md")
    http.document(its_id).problem(404, "not-found")
    assert http.upload("gone.md", b"Back again.") == its_id
    assert http.document(its_id).body["generation"] == 2


def test_the_feed_tells_documents_and_not_their_chunks(http: Http) -> None:
    http.put("own", {"text": "A record."})
    its_id = http.upload("a.md", BOOK.encode())
    feed = http.request("GET", "/namespaces/{ns}/changes", path={"ns": "notes"}).body["changes"]
    assert [one.get("id") or one["document"]["id"] for one in feed] == ["own", its_id]
    assert feed[1]["document"]["state"] == "ready"
    since = str(http.clock())
    http.document(its_id, method="DELETE")
    query = {"since": since}
    feed = http.request("GET", "/namespaces/{ns}/changes", path={"ns": "notes"}, query=query)
    (change,) = feed.body["changes"]
    told = change["document"]
    assert (told["id"], told["state"], told["path"]) == (its_id, "deleted", "")


def test_chunks_are_listed_as_records_and_cannot_be_written(http: Http) -> None:
    its_id = http.upload("a.md", BOOK.encode())
    listed = http.request("GET", "/namespaces/{ns}/records", path={"ns": "notes"}).body["records"]
    assert len(listed) == http.document(its_id).body["chunks"]
    ordinals = [record["document"]["ordinal"] for record in listed]
    assert sorted(ordinals) == list(range(len(listed)))
    assert {record["document"]["id"] for record in listed} == {its_id}
    chunk = listed[0]["id"]
    http.put(chunk, {"text": "mine"}).problem(422, "invalid-request")
    http.delete(chunk).problem(422, "invalid-request")
    http.put("x", {"text": "mine", "supersedes": [chunk]}).problem(422, "invalid-request")


def test_reading_again_goes_through_the_queue(http: Http) -> None:
    its_id = http.upload("a.txt", b"The razorbill lays one egg.")
    done = http.document(its_id, "/reindex", method="POST")
    assert (done.status, done.body["document"]["id"]) == (202, its_id)
    (message,) = machine.asked_again()
    http.ingest(message)
    assert http.document(its_id).body["generation"] == 2
    assert len(http.found("razorbill", mode="lexical")) == 1
    http.document("doc_nothing", "/reindex", method="POST").problem(404, "not-found")


def test_e2_another_tenant_sees_and_changes_nothing(http: Http) -> None:
    its_id = http.upload("a.txt", b"A secret.")
    other = {**http.grant, "tenant": "someone-else"}
    assert documents(http, grant=other).body["documents"] == []
    for rest, method in (("", "GET"), ("/text", "GET"), ("", "DELETE"), ("/reindex", "POST")):
        http.document(its_id, rest, method=method, grant=other).problem(404, "not-found")
    reader = {**http.grant, "scopes": "read"}
    http.document(its_id, method="DELETE", grant=reader).problem(403, "forbidden")
    elsewhere = {**http.grant, "namespaces": "team-*"}
    http.document(its_id, grant=elsewhere).problem(403, "forbidden")
    assert http.document(its_id).body["state"] == "ready"


@pytest.mark.parametrize(
    ("attempt", "told"),
    [
        (None, None),
        ({"pages": None}, None),
        ({"pages": 0}, None),
        ({"pages": 4, "done": 0, "chunks": 750}, {"done": 0, "total": 750}),
        ({"pages": 4, "done": 3, "chunks": 750}, {"done": 562, "total": 750}),
        ({"pages": 4, "done": 4, "chunks": 750}, {"done": 750, "total": 750}),
    ],
)
def test_progress_is_told_while_a_reading_is_written(
    attempt: dict[str, Any] | None, told: dict[str, int] | None
) -> None:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    at_work = attempt and Attempt(id="a", generation=1, lease=now, heard=now, **attempt)
    document = Document(
        id=document_id("a.txt"),
        namespace="notes",
        path="a.txt",
        state=DocumentState.INDEXING,
        created_at=now,
        updated_at=now,
        attempt=at_work or None,
    )
    assert document_json(document)["progress"] == told
