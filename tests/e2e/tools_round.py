"""Every tool once, through the real path, as an agent would call them."""

import time
from typing import Any

import httpx

from e2e.client import Client

BOOK = (
    "# Lighthouses\n\nThe keeper of the lighthouse is called Runa.\n\n# Ferries\n\nOne an hour.\n"
)


def call(client: Client, ns: str, name: str, **arguments: Any) -> Any:
    """What a tool answers."""
    told = client.http.post(f"tools/{name}", json={"arguments": arguments, "namespace": ns})
    return told.raise_for_status().json()


def upload(client: Client, ns: str, path: str, text: str) -> str:
    """Put a document there and wait until it is ready; its id."""
    granted = client.http.post(f"namespaces/{ns}/documents", json={"path": path}).json()
    place = granted["upload"]
    httpx.put(place["url"], content=text, headers=place["headers"]).raise_for_status()
    its_id, end = str(granted["document_id"]), time.monotonic() + 90
    while True:
        document = client.http.get(f"namespaces/{ns}/documents/{its_id}").json()
        if document.get("state") == "ready":
            return its_id
        assert time.monotonic() < end, document
        time.sleep(0.2)


def every_tool(client: Client) -> None:
    """Remember, search, read, index again, forget: records, an address, a document."""
    ns = client.fresh("tools")
    kept = call(client, ns, "remember", text="The spare key is under the blue pot.")
    (record,) = kept["sources"]
    for n in range(3):
        place = {"uri": "https://example.org/log", "locator": f"line {n}"}
        client.put(ns, f"log-{n}", f"Entry {n} of the log.", source=place).raise_for_status()
    its_id = upload(client, ns, "a/lights.md", BOOK)
    client.wait(ns)

    found = call(client, ns, "search_memory", query="spare key blue pot")
    assert found["sources"][0] == {**record, "alias": "S1"}
    assert "| The spare key is under the blue pot." in found["content"].split("\n")
    found = call(client, ns, "search_memory", query="who keeps the lighthouse")
    part = found["sources"][0]
    assert part["id"].startswith(f"{its_id}.")
    assert '"lights.md" "lines 1-3"' in found["content"]
    for source in found["sources"]:
        cited = f"namespaces/{ns}/records/{source['id']}?revision={source['revision']}"
        assert client.http.get(cited).raise_for_status().json()["text"]

    read = call(client, ns, "read_source", source="https://example.org/log")
    assert [one["id"] for one in read["sources"]] == ["log-0", "log-1", "log-2"]
    assert "Runa" in call(client, ns, "read_source", source=its_id)["content"]
    assert "Runa" in call(client, ns, "read_source", source=part["id"])["content"]

    assert "indexed as it is" in call(client, ns, "reindex_source", source=record["id"])["content"]
    assert "being read again" in call(client, ns, "reindex_source", source="a/lights.md")["content"]

    for gone in (record["id"], "https://example.org/log", its_id):
        assert not call(client, ns, "forget", source=gone)["is_error"]
    for query in ("spare key blue pot", "entry of the log", "who keeps the lighthouse"):
        assert call(client, ns, "search_memory", query=query)["sources"] == []
    assert client.http.get(f"namespaces/{ns}/records").json()["records"] == []
