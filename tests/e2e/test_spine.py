import pytest

from e2e.client import Client
from stack import LocalStack

pytestmark = pytest.mark.stack


def test_a_record_put_through_http_is_found_read_changed_and_forgotten(client: Client) -> None:
    ns = client.fresh()
    created = client.put(ns, "a", "The lighthouse keeper is called Runa.")
    assert (created.status_code, created.headers["etag"]) == (201, '"1"')
    client.wait(ns)
    for mode in ("hybrid", "lexical", "semantic"):
        assert client.found(ns, "lighthouse keeper", mode=mode) == ["a"]
    assert client.put(ns, "a", "The ferryman is called Runa.", match=1).status_code == 200
    assert client.put(ns, "a", "too late", match=1).status_code == 412
    client.wait(ns)
    assert client.found(ns, "ferryman", mode="lexical") == ["a"]
    assert client.delete(ns, "a").json() == {"id": "a", "revision": 3}
    assert client.found(ns, "ferryman") == []
    client.wait(ns)
    assert client.get(ns, "a").status_code == 404
    assert client.status(ns)["counts"]["deleted"] == 1


def test_a_write_is_seen_by_a_search_that_waits_for_it(client: Client) -> None:
    ns = client.fresh()
    for n in range(5):
        revision = client.put(ns, f"w{n}", f"freshly written pangolin {n}").json()["revision"]
        answer = client.search(
            ns, f"pangolin {n}", min_revision=revision, wait_ms=5000, timeout_ms=10_000
        ).json()
        if answer["revision"]["indexed"] < revision:
            assert "stale_index" in answer["degraded"]
        else:
            assert answer["hits"][0]["id"] == f"w{n}"


def test_keys_open_what_they_are_made_for_and_nothing_else(
    client: Client, local_stack: LocalStack
) -> None:
    url = local_stack.values["PALIMPSEST_URL"]
    ns = client.fresh("team")
    client.put(ns, "a", "walnuts in the cellar").raise_for_status()
    client.wait(ns)
    with Client(url, None) as nobody:
        refused = nobody.get(ns, "a")
        assert refused.status_code == 401
        assert nobody.http.get("health").json()["status"] == "ok"
    with Client(url, "pal_0123456789abcdef_" + "x" * 43) as unknown:
        assert unknown.get(ns, "a").status_code == 403
    with Client(url, local_stack.key("demo", scopes="read", namespaces="team-*")) as reader:
        assert reader.get(ns, "a").status_code == 200
        assert reader.put(ns, "a", "x").status_code == 403
        assert reader.get("other", "a").status_code == 403
    with Client(url, local_stack.key("rival")) as rival:
        assert rival.get(ns, "a").status_code == 404
        assert rival.found(ns, "walnuts in the cellar") == []
        assert rival.status(ns)["revision"] == 0
    lower = {"Authorization": f"bearer {local_stack.values['PALIMPSEST_KEY']}"}
    assert client.http.get(f"namespaces/{ns}", headers=lower).status_code == 200


def test_paths_reach_the_handlers_as_they_were_meant(client: Client) -> None:
    ns = client.fresh()
    answer = client.put(ns, "a.b_c:d@e~f=g,h-i", "x")
    assert answer.json()["record"]["id"] == "a.b_c:d@e~f=g,h-i"
    assert client.get(ns, "a.b_c%3Ad%40e~f%3Dg%2Ch-i").status_code == 200
    for refused in ("%2541", "a%0Ab", "a%20b", "%F0%9F%99%82", "a%22b", "doc_x"):
        assert client.put(ns, refused, "x").status_code == 422, refused


@pytest.mark.parametrize(
    "body", [b'{"text": "\xe9"}', b'{"text": "a\xed\xa0\x80b"}', '{"text": "x"}'.encode("utf-16")]
)
def test_a_body_that_is_not_utf_8_is_400_and_nothing_of_it_is_stored(
    client: Client, body: bytes
) -> None:
    ns = client.fresh()
    for kind in ("application/json", "application/json; charset=latin-1"):
        answer = client.http.put(
            f"namespaces/{ns}/records/a", content=body, headers={"Content-Type": kind}
        )
        assert (answer.status_code, answer.json()["type"]) == (
            400, "urn:palimpsest:problem:malformed-request",
        )  # fmt: skip
    assert client.status(ns)["revision"] == 0
    said = {"text": "Grüße 🙂 日本語"}
    told = client.http.put(f"namespaces/{ns}/records/a", json=said)
    assert told.json()["record"]["text"] == said["text"]
