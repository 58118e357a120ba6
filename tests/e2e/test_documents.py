"""A folder of mixed files is dropped into the local bucket with a plain S3 client: each is found by
a question, what cannot be read says why, and what is replaced or deleted is so in the answers."""

import threading
from typing import Any

import pytest

from document_files import SAMPLES
from e2e.client import Client
from e2e.documents_scene import Folder, until
from stack import LocalStack

pytestmark = pytest.mark.stack
PATIENCE_S = 60


def settled(folder: Folder, *, generations: dict[str, int]) -> dict[str, dict[str, Any]]:
    """The documents, once each of these paths has come to an end of at least that generation."""

    def unsettled() -> str:
        found = folder.documents()
        late = {
            path: found[path]["state"] if path in found else "not listed"
            for path, generation in generations.items()
            if path not in found
            or found[path]["state"] not in {"ready", "no_text", "failed"}
            or found[path]["generation"] < generation
        }
        return str(late) if late else ""

    until(unsettled, patience_s=PATIENCE_S)
    return folder.documents()


def test_a_folder_of_mixed_files_is_found_replaced_and_forgotten(
    client: Client, local_stack: LocalStack
) -> None:
    ns = client.fresh("folder")
    folder = Folder(client, local_stack, ns)
    files = {name: made() for name, made in SAMPLES.items()}
    for path, data in files.items():
        folder.put(path, data)
    folder.put("picture.png", b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4)
    folder.put("empty.txt", b"")
    folder.put("note.md", b"# Ferry\n\nThe ferry to the island leaves at nine.\n")
    wanted = dict.fromkeys([*files, "picture.png", "empty.txt", "note.md"], 1)
    found = settled(folder, generations=wanted)
    unread = {path: one["reason"] for path, one in found.items() if one["state"] != "ready"}
    assert unread == {"picture.png": "unsupported_type", "empty.txt": "no_text"}
    ledger = client.http.get(f"namespaces/{ns}/unsearchable").raise_for_status().json()["items"]
    assert {one["id"]: one["reason"] for one in ledger} == {
        found[path]["id"]: reason for path, reason in unread.items()
    }
    client.wait(ns)
    for path, one in found.items():
        if one["state"] == "ready":
            text = client.http.get(f"namespaces/{ns}/documents/{one['id']}/text").json()["text"]
            line = max(text.split("\n"), key=len)[:300]
            hits = client.search(ns, line, limit=5, filter={"document.id": one["id"]}).json()[
                "hits"
            ]
            assert hits, path
            place = hits[0]["document"]
            assert text[place["start"] : place["end"]] == hits[0]["text"], path

    folder.put("note.md", b"# Ferry\n\nThe ferry sails at seven now.\n")
    settled(folder, generations={"note.md": 2})
    client.wait(ns)
    (hit,) = client.search(ns, "ferry", mode="lexical", limit=5).json()["hits"]
    assert "seven" in hit["text"]
    folder.take_away("note.md")
    until(
        lambda: "its end" if "note.md" in folder.documents() else "",
        patience_s=PATIENCE_S,
    )
    assert client.search(ns, "ferry", mode="lexical").json()["hits"] == []


def test_searches_beside_replacements_see_one_edition_at_a_time(
    client: Client, local_stack: LocalStack
) -> None:
    ns = client.fresh("editions")
    folder = Folder(client, local_stack, ns)

    def edition(number: int) -> bytes:
        said = f"The perihelion essay, edition number{number}. " * 30
        return "\n\n".join(f"## Part {part}\n\n{said}" for part in range(4)).encode()

    folder.put("essay.md", edition(0))
    settled(folder, generations={"essay.md": 1})
    client.wait(ns)
    done, seen = threading.Event(), list[set[str]]()

    def look() -> None:
        while not done.is_set():
            answer = client.search(ns, "perihelion essay edition", mode="lexical", limit=20)
            texts = [hit["text"] for hit in answer.raise_for_status().json()["hits"]]
            seen.append({w for text in texts for w in text.split() if w.startswith("number")})

    looking = threading.Thread(target=look)
    looking.start()
    try:
        for number in range(1, 9):
            folder.put("essay.md", edition(number))
            settled(folder, generations={"essay.md": number + 1})
    finally:
        done.set()
        looking.join()
    assert len(seen) > 8
    assert all(len(one) == 1 for one in seen), [one for one in seen if len(one) != 1][:3]
    order = [int(min(one).strip(".").removeprefix("number")) for one in seen]
    assert order == sorted(order)
