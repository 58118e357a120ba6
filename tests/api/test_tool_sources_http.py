"""What a model may call a source by, and what its tools do with it: ids, addresses, documents."""

from collections.abc import Sequence
from typing import Any

import pytest

from api import machine
from api.conftest import Http
from palimpsest.adapters.simulated import Fault, FaultKind
from palimpsest.domain.entries import Entry, WriteOutcome, WriteResult
from palimpsest.domain.errors import NotFound, NotReady
from palimpsest.services.documents import DocumentService
from palimpsest.services.tools import read_source, sources

pytestmark = pytest.mark.usefixtures("places")
BOOK = "# Book\n\n" + "".join(
    f"## Chapter {n}\n\n" + f"A sentence of chapter {n}. " * 40 + "\n\n" for n in range(12)
)


def bodies(content: str) -> str:
    """The stored text of what was read."""
    quoted = [line.removeprefix("| ") for line in content.split("\n") if line.startswith("| ")]
    return "\n".join(quoted)


def read(http: Http, source: str, **more: Any) -> Any:
    told = http.tool("read_source", {"source": source, **more})
    assert not told["is_error"], told
    return told


def rejecting(_: Any, entries: Sequence[Entry], *, visible: bool = True) -> list[WriteResult]:  # noqa: ARG001
    """As an index that takes nothing."""
    return [WriteResult(entry.id, WriteOutcome.REJECTED, "too odd") for entry in entries]


@pytest.fixture
def thread(http: Http) -> Http:
    """A tenant where three records share an address."""
    for n in range(3):
        http.put(f"m{n}", {"text": f"Message number {n}.", "source": {"uri": "https://x/thread"}})
    http.put("other", {"text": "Elsewhere.", "source": {"uri": "https://x/threads"}})
    http.project()
    return http


def test_an_address_stands_for_all_its_records_oldest_first(thread: Http) -> None:
    told = read(thread, "https://x/thread")
    assert [one["id"] for one in told["sources"]] == ["m0", "m1", "m2"]
    assert bodies(told["content"]) == "Message number 0.\nMessage number 1.\nMessage number 2."
    assert "[S3] m2 https://x/thread (revision 3, characters 0-17 of 17)" in told["content"]


def test_an_address_finds_what_has_expired_and_not_what_was_replaced_or_moved(thread: Http) -> None:
    gone = {"text": "Over.", "expires_at": "2020-01-01T00:00:00Z"}
    thread.put("m3", {**gone, "source": {"uri": "https://x/thread"}})
    thread.put("m4", {"text": "New.", "supersedes": ["m0"]})
    thread.put("m1", {"text": "Message number 1.", "source": {"uri": "https://x/elsewhere"}})
    thread.delete("m2")
    thread.project()
    told = read(thread, "https://x/thread")
    assert [one["id"] for one in told["sources"]] == ["m3"]
    assert "not valid now" in told["content"]
    assert "superseded by m4" in read(thread, "m0")["content"]


def test_an_address_finds_what_the_index_could_not_take(thread: Http) -> None:
    """The ledger says what the index lacks, so forgetting an address leaves none behind."""
    index = thread.projecting_index
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(index), "write", rejecting)
        thread.put("m9", {"text": "Rejected.", "source": {"uri": "https://x/thread"}})
        thread.project()
    assert [one["id"] for one in read(thread, "https://x/thread")["sources"]][-1] == "m9"


def test_forgetting_an_address_forgets_each_of_its_records_and_no_other(http: Http) -> None:
    for n in range(27):  # more than one commit may hold
        http.put(f"m{n:02}", {"text": f"Message {n}.", "source": {"uri": "https://x/long"}})
    http.put("kept", {"text": "Kept.", "source": {"uri": "https://x/other"}})
    http.project()
    told = http.tool("forget", {"source": "https://x/long"})
    assert told["content"] == "Forgotten: " + ", ".join(f"m{n:02}" for n in range(27)) + "."
    assert list(http.active()) == ["kept"]
    http.project()
    assert "no source" in http.refused("forget", {"source": "https://x/long"})


def test_an_address_of_more_records_than_a_tool_works_on_is_refused(
    thread: Http, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "MOST_RECORDS", 3)
    assert len(read(thread, "https://x/thread")["sources"]) == 3
    monkeypatch.setattr(sources, "MOST_RECORDS", 2)
    for name in ("read_source", "forget"):
        assert "More than 2 records" in thread.refused(name, {"source": "https://x/thread"})
    assert thread.get("m0").status == 200


@pytest.mark.parametrize(
    "uri", ['x" OR 1=1 --', "*", "https://x/?a=1&b=2#c", "日本/メモ", "a\tb", "x" * 1_024, "[a]"]
)
def test_e1_an_address_is_taken_literally(http: Http, uri: str) -> None:
    http.put("a", {"text": "Here.", "source": {"uri": uri}})
    http.put("b", {"text": "There.", "source": {"uri": "https://x/b"}})
    http.project()
    assert [one["id"] for one in read(http, uri)["sources"]] == ["a"]


def test_an_address_is_not_looked_up_in_an_index_that_is_behind(
    thread: Http, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "WAIT_S", 0.15)
    thread.put("m3", {"text": "Message number 3.", "source": {"uri": "https://x/thread"}})
    for name in ("read_source", "forget", "reindex_source"):
        assert "Try again in a few seconds" in thread.refused(name, {"source": "https://x/thread"})
    assert read(thread, "m3")["sources"][0]["id"] == "m3"
    thread.project()
    assert len(read(thread, "https://x/thread")["sources"]) == 4


def test_pages_of_a_record_are_its_whole_text_and_part_no_character(http: Http) -> None:
    family = "\U0001f469\u200d\U0001f469\u200d\U0001f467"
    text = "x" * (read_source.PAGE - 3) + family * 3_000 + "y" * 100
    http.put("long", {"text": text})
    http.project()
    told = [read(http, "long", page=page) for page in (1, 2, 3)]
    assert "".join(bodies(one["content"]) for one in told) == text
    assert bodies(told[0]["content"]).endswith("xxx")
    assert told[0]["content"].endswith("This is page 1 of 3. Call again with page 2 for the next.")
    assert told[2]["content"].endswith("\n\nThis is page 3 of 3.")
    assert "has 3 pages" in http.refused("read_source", {"source": "long", "page": 4})


def test_pages_run_over_all_records_of_an_address(http: Http) -> None:
    for n in range(3):
        text = f"{n}" * (read_source.PAGE - 1_000)
        http.put(f"m{n}", {"text": text, "source": {"uri": "https://x/t"}})
    http.project()
    first, second, third = (read(http, "https://x/t", page=page) for page in (1, 2, 3))
    assert [one["id"] for one in first["sources"]] == ["m0", "m1"]
    assert [one["id"] for one in second["sources"]] == ["m1", "m2"]
    assert [one["id"] for one in third["sources"]] == ["m2"]
    assert "[S1] m1 https://x/t (revision 2, characters 1000-7000 of 7000)" in second["content"]


def test_a_document_is_read_by_id_path_and_address_and_its_parts_by_theirs(http: Http) -> None:
    its_id = http.upload("a/book.md", BOOK.encode())
    http.project()
    (hit, *_) = http.search("chapter 7", mode="lexical").body["hits"]
    uri = hit["source"]["uri"]
    for source in (its_id, "a/book.md", uri):
        told = [read(http, source, page=page) for page in (1, 2)]
        assert told[0]["sources"][0]["id"] == its_id
        assert f'[S1] {its_id} a/book.md "Book" (revision ' in told[0]["content"]
        whole = "".join(f"{bodies(one['content'])}\n" for one in told)
        assert whole.replace("\n", "").strip() == BOOK.replace("\n", "").strip()
    part = read(http, hit["id"])
    assert part["sources"][0]["id"] == hit["id"]
    assert f"a part of document {its_id}" in part["content"]
    assert hit["text"].split("\n")[-1] in part["content"]


def test_a_document_is_forgotten_with_its_file_and_a_part_of_it_is_not(http: Http) -> None:
    its_id = http.upload("book.md", BOOK.encode())
    (hit, *_) = http.search("chapter 7", mode="lexical").body["hits"]
    assert f"a part of document {its_id}" in http.refused("forget", {"source": hit["id"]})
    told = http.tool("forget", {"source": hit["source"]["uri"]})
    assert told["content"] == f"Forgotten: document {its_id} (book.md) with its file."
    http.document(its_id).problem(404, "not-found")
    http.look("book.md")
    http.document(its_id).problem(404, "not-found")
    assert "no source" in http.refused("read_source", {"source": hit["id"]})


def test_a_document_is_indexed_again_on_request(http: Http) -> None:
    its_id = http.upload("book.md", BOOK.encode())
    before = http.document(its_id).body
    told = http.tool("reindex_source", {"source": "book.md"})
    assert told["content"].startswith(f"Document {its_id} (book.md) is being read again")
    (message,) = machine.asked_again()
    http.ingest(message)
    after = http.document(its_id).body
    assert (after["state"], after["generation"]) == ("ready", before["generation"] + 1)


def test_a_document_without_text_says_why(http: Http) -> None:
    its_id = http.upload("scan.bin", bytes(range(256)) * 40)
    told = http.refused("read_source", {"source": its_id})
    assert told == "This document has no text that can be read (unsupported_type)."
    assert http.tool("forget", {"source": its_id})["is_error"] is False


def test_a_record_that_a_leg_lacks_is_tried_again(http: Http) -> None:
    http.passage_embedder.inject(Fault(kind=FaultKind.OUTAGE))
    http.put("a", {"text": "Healthy."})
    http.project()
    assert http.tool("reindex_source", {"source": "a"})["content"] == "a: being indexed again."
    http.passage_embedder.heal()
    http.project()
    told = http.tool("reindex_source", {"source": "a"})
    assert told["content"] == "a: indexed as it is."
    http.put("b", {"text": "In its place.", "supersedes": ["a"]})
    http.project()
    told = http.tool("reindex_source", {"source": "a"})
    assert told["content"] == "a: superseded, so it is not searched."


def test_a_record_is_read_before_it_is_indexed(http: Http) -> None:
    http.put("a", {"text": "Just written."})
    assert bodies(read(http, "a")["content"]) == "Just written."
    assert http.tool("reindex_source", {"source": "a"})["content"] == "a: being indexed again."


def test_a_document_that_is_not_read_yet_says_so(http: Http, modules: Any) -> None:
    embedder = modules["ingest"].services().ingesting.writing.embedding.embedder
    embedder.inject(Fault(kind=FaultKind.OUTAGE))
    its_id = http.upload("book.md", BOOK.encode())
    assert http.document(its_id).body["state"] in {"pending", "indexing"}
    told = http.refused("read_source", {"source": its_id})
    assert told == "This document is still being read. Try again in a minute."


@pytest.mark.parametrize("error", [NotFound("gone"), NotReady("not yet")])
def test_a_document_that_is_replaced_while_it_is_read_says_so(
    http: Http, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    its_id = http.upload("book.md", BOOK.encode())

    def gone(*_: Any, **__: Any) -> Any:
        raise error

    monkeypatch.setattr(DocumentService, "text", gone)
    told = http.refused("read_source", {"source": its_id})
    assert told == "This document has just been replaced; read again."


def test_a_part_of_a_former_version_says_that_there_is_a_newer_one(http: Http) -> None:
    its_id = http.upload("book.md", BOOK.encode())
    (hit, *_) = http.search("chapter 7", mode="lexical").body["hits"]
    http.upload("book.md", BOOK.replace("chapter", "section").encode())
    for name in ("read_source", "forget"):
        told = http.refused(name, {"source": hit["id"]})
        assert told.startswith(f"Document {its_id} has been replaced or read again since")


def test_a_path_is_taken_with_the_spaces_around_it_or_without(http: Http) -> None:
    spaced = http.upload(" lead.txt", b"With a space before it.")
    plain = http.upload("trail.txt", b"Without any.")
    http.project()
    assert read(http, " lead.txt")["sources"][0]["id"] == spaced
    assert read(http, " trail.txt ")["sources"][0]["id"] == plain
