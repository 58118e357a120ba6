"""Lists, history, change feed, ledger and namespaces through the handlers."""

from typing import Any

import pytest

from api.conftest import Answer, Http
from palimpsest.adapters.simulated import Fault, FaultKind

RECORDS = "/namespaces/{ns}/records"
REVISIONS = "/namespaces/{ns}/records/{id}/revisions"
CHANGES = "/namespaces/{ns}/changes"
UNSEARCHABLE = "/namespaces/{ns}/unsearchable"
MEMBERS = {RECORDS: "records", REVISIONS: "revisions", CHANGES: "changes", UNSEARCHABLE: "items"}
LISTS = [*MEMBERS, "/namespaces"]


def page(http: Http, resource: str = RECORDS, *, ns: str = "notes", **query: Any) -> Answer:
    path = {name: value for name, value in (("ns", ns), ("id", "a")) if f"{{{name}}}" in resource}
    sent = {name: str(value) for name, value in query.items() if name != "grant"} or None
    options = {"grant": query["grant"]} if "grant" in query else {}
    return http.request("GET", resource, path=path, query=sent, **options)


def walk(http: Http, resource: str = RECORDS, **query: Any) -> list[Any]:
    found: list[Any] = []
    cursor: dict[str, str] = {}
    while True:
        answer = page(http, resource, **query, **cursor)
        assert answer.status == 200, answer.body
        found += answer.body[MEMBERS.get(resource, "namespaces")]
        if answer.body["next_cursor"] is None:
            return found
        cursor = {"cursor": answer.body["next_cursor"]}


def some(http: Http, count: int = 5, ns: str = "notes") -> None:
    operations = [{"op": "put", "id": f"r{n}", "record": {"text": "x"}} for n in range(count)]
    assert http.commit({"operations": operations}, ns=ns).status == 200


def test_d13_a_list_is_newest_first_and_pages_to_its_end(http: Http) -> None:
    some(http, 5)
    http.put("r1", {"text": "changed"})
    newest = [record["id"] for record in walk(http, limit=2)]
    assert newest == ["r1", "r4", "r3", "r2", "r0"]
    assert [r["id"] for r in walk(http, limit=2, order="oldest")] == newest[::-1]
    assert walk(http)[0] == http.get("r1").body


def test_c10_a_list_is_narrowed_by_kind_and_status(http: Http) -> None:
    http.put("a", {"text": "1", "kind": "fact"})
    http.put("b", {"text": "2", "kind": "task"})
    http.put("c", {"text": "3", "kind": "fact", "supersedes": ["a"]})
    http.put("d", {"text": "4"})
    http.delete("d")

    def ids(**query: Any) -> list[str]:
        return sorted(record["id"] for record in walk(http, limit=1, **query))

    assert ids() == ids(status="active") == ["b", "c"]
    assert ids(kind="fact") == ["c"]
    assert ids(kind="fact", status="any") == ["a", "c"]
    assert ids(status="superseded") == ["a"]
    assert ids(status="deleted") == ["d"]
    assert ids(status="any") == ["a", "b", "c", "d"]
    (tombstone,) = walk(http, status="deleted")
    assert (tombstone["status"], tombstone["text"], tombstone["revision"]) == ("deleted", None, 5)


@pytest.mark.parametrize("resource", LISTS)
@pytest.mark.parametrize("limit", ["0", "101", "-1", "1.5", "x", "true", "", " 5", "1e1", "007"])
def test_a14_a_limit_is_a_whole_number_from_1_to_100(http: Http, resource: str, limit: str) -> None:
    http.put("a", {"text": "x"})
    problem = page(http, resource, limit=limit).problem(422, "invalid-request")
    assert problem["errors"][0]["loc"][-1] == "limit"
    for fine in (1, 100):
        assert page(http, resource, limit=fine).status == 200


@pytest.mark.parametrize("query", [{"status": "nonsense"}, {"order": "sideways"}, {"order": ""}])
def test_an_unknown_status_or_order_is_422(http: Http, query: dict[str, str]) -> None:
    page(http, **query).problem(422, "invalid-request")


@pytest.mark.parametrize("since", ["-1", "1.5", "abc", "", "1" * 19])
def test_since_is_a_whole_number_from_0(http: Http, since: str) -> None:
    page(http, CHANGES, since=since).problem(422, "invalid-request")


def test_the_default_limit_of_lists_is_100(http: Http) -> None:
    for start in range(0, 125, 25):
        operations = [
            {"op": "put", "id": f"r{n}", "record": {"text": "x"}} for n in range(start, start + 25)
        ]
        http.commit({"operations": operations})
    assert len(page(http).body["records"]) == 100


def test_the_feed_tells_revision_floor_and_tombstones_without_content(http: Http) -> None:
    some(http, 3)
    http.delete("r1")
    body = page(http, CHANGES).body
    assert [(c["id"], c["revision"], c["text"]) for c in body["changes"]] == [
        ("r0", 1, "x"), ("r2", 1, "x"), ("r1", 2, None),
    ]  # fmt: skip
    assert (body["revision"], body["floor"], body["next_cursor"]) == (2, 0, None)
    assert page(http, CHANGES, since=2).body["changes"] == []


def test_revisions_are_the_whole_record_each_and_404_for_an_unknown_one(http: Http) -> None:
    http.put("a", {"text": "v1"})
    first = http.get("a").body
    http.put("a", {"text": "v2"})
    assert walk(http, REVISIONS, limit=1) == [http.get("a").body, first]
    page(http, REVISIONS, ns="elsewhere").problem(404, "not-found")


def cursors(http: Http) -> dict[str, str]:
    """A cursor of every list there is."""
    some(http, 5)
    for text in ("v1", "v2", "v3"):
        http.put("a", {"text": text})
    some(http, 1, ns="other")
    return {
        resource: page(http, resource, limit=1).body["next_cursor"]
        for resource in LISTS
        if resource != UNSEARCHABLE
    }


def test_a_cursor_opens_only_the_list_it_was_given_out_for(http: Http) -> None:
    found = cursors(http)
    assert all(found.values())
    for resource, cursor in found.items():
        for other in LISTS:
            answer = page(http, other, limit=3, cursor=cursor)
            if other == resource:
                assert answer.status == 200
            else:
                answer.problem(422, "cursor-mismatch")


@pytest.mark.parametrize(
    ("resource", "change"),
    [
        (RECORDS, {"order": "oldest"}),
        (RECORDS, {"status": "any"}),
        (RECORDS, {"kind": "fact"}),
        (CHANGES, {"since": "1"}),
    ],
)
def test_a_cursor_is_bound_to_every_parameter_but_the_limit(
    http: Http, resource: str, change: dict[str, str]
) -> None:
    cursor = cursors(http)[resource]
    page(http, resource, cursor=cursor, **change).problem(422, "cursor-mismatch")
    assert page(http, resource, cursor=cursor, limit=50).status == 200
    page(http, resource, cursor=cursor, ns="other").problem(422, "cursor-mismatch")


def test_e2_a_cursor_of_another_tenant_does_not_open(http: Http) -> None:
    theirs = {**http.grant, "tenant": "somebody-else"}
    for resource, cursor in cursors(http).items():
        page(http, resource, cursor=cursor, grant=theirs).problem(422, "cursor-mismatch")


@pytest.mark.parametrize(
    "mangle", ["nonsense", "e30", "AAAA", "%%%", "A" * 3000, "ü", "{cursor}AAAA"]
)
def test_a_mangled_cursor_is_422(http: Http, mangle: str) -> None:
    cursor = cursors(http)[RECORDS]
    page(http, cursor=mangle.format(cursor=cursor)).problem(422, "cursor-mismatch")
    for place in range(0, len(cursor), 7):
        turned = "A" if cursor[place] != "A" else "B"
        mangled = cursor[:place] + turned + cursor[place + 1 :]
        page(http, cursor=mangled).problem(422, "cursor-mismatch")


def test_namespaces_are_the_tenants_own_as_far_as_the_key_may_see_them(http: Http) -> None:
    for ns in ("team-b", "team-a", "team-a.x", "other"):
        some(http, 1, ns=ns)
    some(http, 1, ns="other")
    http.put("r0", {"text": "changed"}, ns="other")
    listed = walk(http, "/namespaces", limit=1)
    assert [(entry["namespace"], entry["revision"]) for entry in listed] == [
        ("other", 2), ("team-a", 1), ("team-a.x", 1), ("team-b", 1),
    ]  # fmt: skip
    narrow = {**http.grant, "namespaces": "team-*"}
    seen = page(http, "/namespaces", grant=narrow, limit=2).body
    assert [entry["namespace"] for entry in seen["namespaces"]] == ["team-a", "team-a.x"]
    none = {**http.grant, "tenant": "somebody-new"}
    assert page(http, "/namespaces", grant=none).body == {"namespaces": [], "next_cursor": None}


def test_a_namespace_nobody_used_is_there_and_empty(http: Http) -> None:
    for resource in (RECORDS, CHANGES, UNSEARCHABLE):
        body = page(http, resource, ns="unused").body
        assert (body[MEMBERS[resource]], body["next_cursor"]) == ([], None)
    assert walk(http, "/namespaces") == []


def test_d17_the_ledger_names_what_waits_and_retry_accepts_it(http: Http) -> None:
    some(http, 3)
    http.passage_embedder.inject(Fault(kind=FaultKind.OUTAGE))
    http.project()
    items = walk(http, UNSEARCHABLE, limit=2)
    assert [(item["type"], item["id"], item["reason"]) for item in items] == [
        ("record", f"r{n}", "pending") for n in range(3)
    ]
    retry = http.request("POST", f"{UNSEARCHABLE}/retry", path={"ns": "notes"})
    assert (retry.status, retry.body) == (202, {"accepted": 3})
    http.passage_embedder.heal()
    http.project()
    assert walk(http, UNSEARCHABLE) == []
    assert http.namespace().body["counts"]["unsearchable"] == 0
