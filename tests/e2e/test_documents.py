"""A folder of mixed files is dropped into the local bucket with a plain S3 client: each is found by
a question, what cannot be read says why, and what is replaced or deleted is so in the answers."""

import threading
import time
from typing import Any

import boto3
import pytest

from document_files import SAMPLES
from e2e.client import Client
from palimpsest.domain.upload_keys import UploadPlace
from stack import LocalStack

pytestmark = pytest.mark.stack
PATIENCE_S = 60


def put(stack: LocalStack, ns: str, path: str, data: bytes) -> None:
    key = UploadPlace("demo", ns, path).key
    s3(stack).put_object(Bucket=stack.values["UPLOADS_BUCKET"], Key=key, Body=data)


def s3(stack: LocalStack) -> Any:
    values = stack.values
    return boto3.client(
        "s3",
        endpoint_url=values["AWS_ENDPOINT_URL"],
        region_name=values["AWS_REGION"],
        aws_access_key_id=values["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=values["AWS_SECRET_ACCESS_KEY"],
    )


def documents(client: Client, ns: str) -> dict[str, dict[str, Any]]:
    found = client.http.get(f"namespaces/{ns}/documents").raise_for_status().json()
    return {one["path"]: one for one in found["documents"]}


def settled(client: Client, ns: str, *, generations: dict[str, int]) -> dict[str, dict[str, Any]]:
    """The documents, once each of these paths has come to an end of at least that generation."""
    end = time.monotonic() + PATIENCE_S
    while True:
        found = documents(client, ns)
        if all(
            path in found
            and found[path]["state"] in {"ready", "no_text", "failed"}
            and found[path]["generation"] >= generation
            for path, generation in generations.items()
        ):
            return found
        assert time.monotonic() < end, {p: d["state"] for p, d in found.items()}
        time.sleep(0.2)


def test_a_folder_of_mixed_files_is_found_replaced_and_forgotten(
    client: Client, local_stack: LocalStack
) -> None:
    ns = client.fresh("folder")
    files = {name: made() for name, made in SAMPLES.items()}
    for path, data in files.items():
        put(local_stack, ns, path, data)
    put(local_stack, ns, "picture.png", b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4)
    put(local_stack, ns, "empty.txt", b"")
    put(local_stack, ns, "note.md", b"# Ferry\n\nThe ferry to the island leaves at nine.\n")
    wanted = dict.fromkeys([*files, "picture.png", "empty.txt", "note.md"], 1)
    found = settled(client, ns, generations=wanted)
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

    put(local_stack, ns, "note.md", b"# Ferry\n\nThe ferry sails at seven now.\n")
    settled(client, ns, generations={"note.md": 2})
    client.wait(ns)
    (hit,) = client.search(ns, "ferry", mode="lexical", limit=5).json()["hits"]
    assert "seven" in hit["text"]
    key = UploadPlace("demo", ns, "note.md").key
    s3(local_stack).delete_object(Bucket=local_stack.values["UPLOADS_BUCKET"], Key=key)
    end = time.monotonic() + PATIENCE_S
    while "note.md" in documents(client, ns):
        assert time.monotonic() < end
        time.sleep(0.2)
    assert client.search(ns, "ferry", mode="lexical").json()["hits"] == []


def test_searches_beside_replacements_see_one_edition_at_a_time(
    client: Client, local_stack: LocalStack
) -> None:
    ns = client.fresh("editions")

    def edition(number: int) -> bytes:
        said = f"The perihelion essay, edition number{number}. " * 30
        return "\n\n".join(f"## Part {part}\n\n{said}" for part in range(4)).encode()

    put(local_stack, ns, "essay.md", edition(0))
    settled(client, ns, generations={"essay.md": 1})
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
            put(local_stack, ns, "essay.md", edition(number))
            settled(client, ns, generations={"essay.md": number + 1})
    finally:
        done.set()
        looking.join()
    assert len(seen) > 8
    assert all(len(one) == 1 for one in seen), [one for one in seen if len(one) != 1][:3]
    order = [int(min(one).strip(".").removeprefix("number")) for one in seen]
    assert order == sorted(order)
