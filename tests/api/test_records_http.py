import json
import re
from typing import Any

import pytest

from api.conftest import RECORD, Http

STAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


def refused(http: Http, **body: Any) -> Any:
    problem = http.put("refused", body).problem(422, "invalid-request")
    assert http.get("refused").status == 404
    return problem


def test_a_first_put_is_201_with_an_etag_and_reads_back_bare(http: Http) -> None:
    answer = http.put("a", {"text": "Ada wrote the first program."})
    assert (answer.status, answer.headers["etag"]) == (201, '"1"')
    record = answer.body["record"]
    assert (answer.body["changed"], answer.body["revision"], answer.body["warnings"]) == (
        True,
        1,
        [],
    )
    assert http.get("a").body == record
    assert STAMP.fullmatch(record["created_at"])
    assert record["importance"] == 0.5


def test_every_field_a_client_may_write_comes_back(http: Http) -> None:
    fields = {
        "text": "Mira likes plums.",
        "title": "T",
        "kind": "fact",
        "subject": "Mira",
        "predicate": "likes",
        "aliases": ["M"],
        "entities": ["Mira"],
        "tags": ["x", "y"],
        "location": "Graz",
        "event_time": "2026-05-01T10:00:00.000Z",
        "valid_from": "2026-01-01T00:00:00.000Z",
        "valid_to": "2999-01-01T00:00:00.000Z",
        "expires_at": "2999-06-01T00:00:00.000Z",
        "importance": 0.75,
        "source": {"uri": "https://example.org/a", "title": "A", "locator": "p. 3"},
        "metadata": {"s": "v", "i": 3, "f": 2.5, "t": True, "l": ["x"], "big": 2**53, "n": -1e-9},
        "supersedes": [],
    }
    record = http.put("a", fields).body["record"]
    assert {name: record[name] for name in fields} == fields


def test_d5_after_a_write_a_read_returns_it_and_unknown_ids_are_404(http: Http) -> None:
    http.delete("never").problem(404, "not-found")
    http.put("a", {"text": "v1"})
    assert http.delete("a").body == {"id": "a", "revision": 2}
    http.delete("a").problem(404, "not-found")
    http.get("a").problem(404, "not-found")
    assert http.clock() == 2


def test_d1_a_stale_if_match_is_412_with_the_revision_found(http: Http) -> None:
    http.put("a", {"text": "v1"})
    assert http.put("a", {"text": "v2"}, headers={"If-Match": '"1"'}).status == 200
    problem = http.put("a", {"text": "v3"}, headers={"If-Match": '"1"'})
    assert problem.problem(412, "revision-conflict")["current_revision"] == 2
    gone = http.put("b", {"text": "x"}, headers={"If-Match": '"1"'})
    assert gone.problem(412, "revision-conflict")["current_revision"] is None
    assert http.delete("a", headers={"If-Match": '"1"'}).status == 412
    assert http.delete("a", headers={"If-Match": '"2"'}).status == 200


@pytest.mark.parametrize("header", ["If-Match", "If-None-Match"])
def test_routes_without_such_a_guard_refuse_it_and_write_nothing(http: Http, header: str) -> None:
    guarded = {"headers": {header: "*"}, "path": {"ns": "notes"}}
    operations = {"operations": [{"op": "put", "id": "a", "record": {"text": "x"}}]}
    for resource, body in (
        ("/namespaces/{ns}/records", {"text": "x"}),
        ("/namespaces/{ns}/commits", operations),
        ("/namespaces/{ns}/unsearchable/retry", None),
    ):
        http.request("POST", resource, body=body, **guarded).problem(422, "invalid-request")
    assert http.clock() == 0


def test_a_delete_takes_no_if_none_match(http: Http) -> None:
    http.put("a", {"text": "v1"})
    http.delete("a", headers={"If-None-Match": "*"}).problem(422, "invalid-request")
    assert http.get("a").status == 200


def test_if_none_match_star_creates_once(http: Http) -> None:
    star = {"If-None-Match": "*"}
    assert http.put("a", {"text": "v1"}, headers=star).status == 201
    problem = http.put("a", {"text": "v2"}, headers=star).problem(412, "revision-conflict")
    assert problem["current_revision"] == 1
    http.delete("a")
    assert http.put("a", {"text": "v3"}, headers=star).body["revision"] == 3


@pytest.mark.parametrize(
    "headers",
    [
        {"If-Match": "1"},
        {"If-Match": 'W/"1"'},
        {"If-Match": '"x"'},
        {"If-Match": '"0"'},
        {"If-Match": '"1", "2"'},
        {"If-Match": ""},
        {"If-None-Match": '"1"'},
        {"If-Match": '"1"', "If-None-Match": "*"},
    ],
)
def test_a_tag_that_is_no_guard_is_422_and_writes_nothing(
    http: Http, headers: dict[str, str]
) -> None:
    http.put("a", {"text": "v1"})
    http.put("a", {"text": "v2"}, headers=headers).problem(422, "invalid-request")
    assert http.get("a").body["text"] == "v1"


def test_a_read_answers_304_to_its_own_tag(http: Http) -> None:
    http.put("a", {"text": "v1"})
    for tag, status in (('"1"', 304), ('W/"1"', 304), ('"7", "1"', 304), ("*", 304), ('"7"', 200)):
        answer = http.get("a", headers={"if-none-match": tag})
        assert (answer.status, answer.headers["etag"]) == (status, '"1"')


def test_reads_as_of_a_revision(http: Http) -> None:
    http.put("other", {"text": "before"})
    http.put("a", {"text": "v1"})
    http.put("a", {"text": "v2"})
    assert http.get("a", query={"revision": "2"}).body["text"] == "v1"
    assert http.get("a", query={"revision": "3"}).body["text"] == "v2"
    for revision in ("0", "1", "4", "1000000"):
        http.get("a", query={"revision": revision}).problem(404, "not-found")
    http.get("a", query={"revision": str(2**53)}).problem(404, "not-found")
    for revision in ("-1", "1.5", "1.0", "+1", " 1", "1_0", "abc", "", "٣"):
        http.get("a", query={"revision": revision}).problem(422, "invalid-request")


def test_a_commit_is_all_or_nothing_with_every_guard_reported(http: Http) -> None:
    http.put("a", {"text": "A"})
    operations = [
        {"op": "put", "id": "b", "record": {"text": "B"}, "expected_revision": 0},
        {"op": "put", "id": "a", "record": {"text": "A2"}, "expected_revision": 0},
    ]
    problem = http.commit({"operations": operations}).problem(409, "revision-conflict")
    assert problem["current_revision"] == 1
    assert problem["operations"] == [{"id": "a", "expected_revision": 0, "revision": 1}]
    assert http.get("b").status == 404
    operations[1]["expected_revision"] = 1
    answer = http.commit({"operations": operations, "expected_revision": 1})
    assert answer.body == {
        "revision": 2,
        "results": [
            {"id": "b", "revision": 2, "changed": True},
            {"id": "a", "revision": 2, "changed": True},
        ],
        "warnings": [],
    }


def test_d7_the_same_commit_again_changes_nothing_and_one_id_twice_is_refused(http: Http) -> None:
    batch = {
        "operations": [{"op": "put", "id": f"r{n}", "record": {"text": "x"}} for n in range(3)]
    }
    assert http.commit(batch).body["revision"] == 1
    again = http.commit(batch).body
    assert (again["revision"], [r["changed"] for r in again["results"]]) == (1, [False] * 3)
    twice = {"operations": [batch["operations"][0], batch["operations"][0]]}
    http.commit(twice).problem(422, "invalid-request")


@pytest.mark.parametrize(
    "operation",
    [
        {"op": "put", "id": "a"},
        {"op": "put", "id": "a", "text": "x"},
        {"op": "put", "record": {"text": "x"}},
        {"id": "a", "record": {"text": "x"}},
        {"op": "patch", "id": "a", "record": {"text": "x"}},
        {"op": "put", "id": "a", "record": {"text": "x", "id": "a"}},
        {"op": "delete", "id": "a", "record": {"text": "x"}},
        {"op": "put", "id": "a", "record": {"text": "x"}, "expected_revision": -1},
        {"op": "put", "id": "a", "record": {"text": "x"}, "expected_revision": "1"},
        {"op": "put", "id": "a", "record": {"text": "x"}, "expected_revision": True},
        {"op": "put", "id": "a", "record": {"text": "x"}, "tenant": "t"},
        "put",
    ],
)
def test_an_operation_of_another_form_is_422(http: Http, operation: Any) -> None:
    http.commit({"operations": [operation]}).problem(422, "invalid-request")
    assert http.clock() == 0


@pytest.mark.parametrize("body", [{}, {"operations": None}, {"operations": {}}, {"operations": []}])
def test_a_commit_without_operations_is_422(http: Http, body: Any) -> None:
    http.commit(body).problem(422, "invalid-request")


def test_b5_one_blank_text_in_a_commit_refuses_the_whole(http: Http) -> None:
    for text in ("", "\n\n", " \t\u3000"):
        operations = [
            {"op": "put", "id": "ok", "record": {"text": "fine"}},
            {"op": "put", "id": "bad", "record": {"text": text}},
        ]
        http.commit({"operations": operations}).problem(422, "invalid-request")
    assert http.clock() == 0


@pytest.mark.parametrize(
    ("field", "fits", "breaks"),
    [
        ("text", "x" * 100_000, "x" * 100_001),
        ("text", "語" * 33_333, "語" * 33_334),
        *(
            (name, "s" * 1024, "s" * 1025)
            for name in ("title", "kind", "subject", "predicate", "location")
        ),
        ("title", "é" * 512, "é" * 513),
        *((name, ["g" * 256] * 2, ["g" * 257]) for name in ("tags", "aliases", "entities")),
        *(
            (name, [f"t{n}" for n in range(100)], [f"t{n}" for n in range(101)])
            for name in ("tags", "entities")
        ),
        ("source", {"uri": "s" * 1024}, {"uri": "s" * 1025}),
        ("importance", 0, -0.0001),
        ("importance", 1, 1.0001),
        ("metadata", {"k" * 128: "v" * 1024}, {"k" * 129: "v"}),
        ("metadata", {"k": "é" * 512}, {"k": "é" * 513}),
        ("metadata", {"k": ["v" * 256] * 50}, {"k": ["v"] * 51}),
        ("metadata", {"k": []}, {"k": ["v" * 257]}),
        ("metadata", {f"k{n}": n for n in range(50)}, {f"k{n}": n for n in range(51)}),
        ("metadata", {"k": 10**308}, {"k": 10**309}),
        ("metadata", {"k": True}, {"k": None}),
        ("metadata", {"k": 1.5}, {"k": {"nested": 1}}),
        ("metadata", {"ключ": "значение"}, {"": "x"}),
        ("metadata", {"k": ["x"]}, {"k": ["x", 1]}),
        ("event_time", "0001-01-01T00:00:00Z", "0001-01-01T00:00:00+01:00"),
        ("event_time", "9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59-01:00"),
        ("event_time", -1, 10**18),
        ("event_time", 0, True),
        ("event_time", "2026-01-01T00:00:00+09:00", "2026-01-01T00:00:00"),
        ("event_time", "2026-01-01T00:00:00+23:59", "2026-01-01T00:00:00+09:60"),
        ("event_time", "2026-01-01T00:00:00-23:59", "2026-01-01T00:00:00+24:00"),
        ("expires_at", None, "2026-01-01"),
        ("valid_from", 1767225600000, "1767225600000"),
        ("valid_to", "2026-02-28T00:00:00Z", "2026-02-30T00:00:00Z"),
        ("supersedes", None, ["doc_x"]),
        ("tags", None, "one"),
        ("title", None, 7),
    ],
)
def test_each_limit_of_a_field_on_both_sides(
    http: Http, field: str, fits: Any, breaks: Any
) -> None:
    assert http.put("fits", {"text": "x", field: fits}).status == 201
    problem = refused(http, **{"text": "x", field: breaks})
    assert any(field in e["loc"] for e in problem["errors"])


def test_valid_to_before_valid_from_is_422_also_across_offsets(http: Http) -> None:
    start = "2026-01-01T00:00:00Z"
    assert http.put("a", {"text": "x", "valid_from": start, "valid_to": start}).status == 201
    refused(http, text="x", valid_from=start, valid_to="2026-01-01T00:30:00+01:00")


def test_a_record_over_300_kilobytes_is_422_and_one_below_is_kept(http: Http) -> None:
    def wide(keys: int) -> dict[str, list[str]]:
        return {f"k{n:02}": [f"{n}-{i} " + "v" * 235 for i in range(50)] for n in range(keys)}

    assert http.put("a", {"text": "x", "metadata": wide(24)}).status == 201
    refused(http, text="x", metadata=wide(26))


@pytest.mark.parametrize(
    "fields",
    [
        {"revision": 1},
        {"status": "active"},
        {"namespace": "n"},
        {"superseded_by": "x"},
        {"content_hash": "x"},
        {"document": {}},
        {"Text": "x"},
        {"tenant": "x"},
        {"source": {"uri": "u", "evil": 1}},
    ],
)
def test_fields_of_the_service_and_unknown_ones_are_422(http: Http, fields: Any) -> None:
    refused(http, text="x", **fields)


@pytest.mark.parametrize("text", [None, 5, "", "   ", "\n\u3000", "\0", ["x"], True])
def test_text_is_a_string_that_is_not_blank(http: Http, text: Any) -> None:
    problem = refused(http, text=text)
    assert any("text" in e["loc"] for e in problem["errors"])


@pytest.mark.parametrize(
    ("raw", "status"),
    [
        ('{"text": "x", "metadata": {"n": NaN}}', 400),
        ('{"text": "x", "metadata": {"n": -Infinity}}', 400),
        ('{"text": "x", "metadata": {"n": 1e400}}', 400),
        ('{"text": "x", "metadata": {"n": 1' + "0" * 5000 + "}}", 400),
        ('{"text": "x",}', 400),
        ("", 400),
        ('"\\ud83"', 400),
        ('{"text": "x\ny"}', 400),
        ("[" * 100_000, 400),
        ('{"text": "x", "metadata": {"k": ' + "[" * 62 + "]" * 62 + "}}", 422),
        ('{"text": "x", "metadata": {"k": ' + "[" * 63 + "]" * 63 + "}}", 400),
        ("[]", 422),
        ('[{"text": "x"}]', 422),
        ('[{"text": "x\\u0000"}, {}]', 422),
        ("5", 422),
        ("null", 422),
    ],
)
def test_a_body_that_is_no_json_object_is_refused(http: Http, raw: str, status: int) -> None:
    answer = http.request("PUT", RECORD, path={"ns": "notes", "id": "a"}, raw=raw)
    answer.problem(status, "malformed-request" if status == 400 else "invalid-request")


@pytest.mark.parametrize(
    "content_type",
    [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "application/jsonx",
        "",
    ],
)
def test_another_content_type_is_415(http: Http, content_type: str) -> None:
    answer = http.put("a", {"text": "x"}, headers={"Content-Type": content_type})
    answer.problem(415, "unsupported-media-type")


def test_a_charset_beside_the_content_type_is_fine(http: Http) -> None:
    headers = {"Content-Type": "Application/JSON; charset=utf-8"}
    assert http.put("a", {"text": "x"}, headers=headers).status == 201


def test_a_body_over_one_mebibyte_is_413_and_just_under_is_judged_by_its_content(
    http: Http,
) -> None:
    problem = http.put("a", {"text": "x" * 1_048_576}).problem(413, "too-large")
    assert problem["limit"] == 1_048_576
    http.put("a", {"text": "x" * 1_000_000}).problem(422, "invalid-request")


def test_g8_broken_characters_are_taken_out_and_reported(http: Http) -> None:
    answer = http.put(
        "a", {"text": "quokka\0 habitat\ud83d", "title": "t\0itle", "metadata": {"k": "v\0"}}
    )
    record = answer.body["record"]
    assert (record["text"], record["title"], record["metadata"]) == (
        "quokka habitat",
        "title",
        {"k": "v"},
    )
    assert sorted(w["field"] for w in answer.body["warnings"]) == ["metadata.k", "text", "title"]
    body = {"operations": [{"op": "put", "id": "b", "record": {"text": "by\0 commit"}}]}
    assert http.commit(body).body["warnings"] == [
        {"field": "operations.0.record.text", "code": "broken_characters_removed"}
    ]
    assert http.put("c", {"text": "pair \U0001f600 stays"}).body["warnings"] == []


@pytest.mark.parametrize(
    "record_id",
    [
        "i" * 257,
        "a b",
        "日本語",
        "50%",
        "%41",
        "a+b",
        "🙂",
        'q"uote',
        "back\\slash",
        "*",
        "a|b",
        "$a",
        "doc_",
        "doc_mine",
        "a#b",
        "a\nb",
        "a\0b",
        ".",
        "..",
    ],
)
def test_ids_outside_the_rule_are_422_in_a_path_and_in_a_commit(http: Http, record_id: str) -> None:
    http.put(record_id, {"text": "x"}).problem(422, "invalid-request")
    body = {"operations": [{"op": "put", "id": record_id, "record": {"text": "x"}}]}
    http.commit(body).problem(422, "invalid-request")


@pytest.mark.parametrize("record_id", ["i" * 256, "a.b_c:d@e~f=g,h-i", "0", "...", "-"])
def test_ids_within_the_rule_are_kept_as_they_are(http: Http, record_id: str) -> None:
    assert http.put(record_id, {"text": "x"}).body["record"]["id"] == record_id
    assert http.get(record_id).body["id"] == record_id


@pytest.mark.parametrize("ns", ["my-group", "a:b", "ap_erp.1", "u@x", "-", "n" * 128])
def test_a2_odd_namespaces_work_on_every_route(http: Http, ns: str) -> None:
    assert http.put("a", {"text": "barometer reading"}, ns=ns).status == 201
    http.project(ns)
    assert http.found("barometer", namespace=ns) == ["a"]
    assert http.clock(ns) == 1


@pytest.mark.parametrize(
    "ns", ["a/b", "a\\b", "a|b", ".hidden", "n" * 129, "{actorId}", "${x}", "a b", ""]
)
def test_a2_d14_namespaces_outside_the_rule_are_422_on_every_route(http: Http, ns: str) -> None:
    for answer in (
        http.put("a", {"text": "x"}, ns=ns),
        http.get("a", ns=ns),
        http.delete("a", ns=ns),
        http.commit({"operations": []}, ns=ns),
        http.namespace(ns),
        http.search("x", namespace=ns),
    ):
        answer.problem(422, "invalid-request")


def test_health_needs_no_key_and_touches_nothing(http: Http) -> None:
    body = http.request("GET", "/health", grant=None).body
    assert body["status"] == "ok"
    assert body["version"]


def test_an_unknown_route_is_404_and_an_unexpected_failure_tells_nothing_of_its_cause(
    http: Http, monkeypatch: pytest.MonkeyPatch
) -> None:
    http.request("GET", "/nothing").problem(404, "not-found")

    def crash(*_: object, **__: object) -> None:
        raise RuntimeError("arn:aws:secret")

    monkeypatch.setattr(type(http._modules["records"].services().store), "read", crash)
    problem = http.get("a").problem(500, "internal")
    assert "secret" not in json.dumps(problem)


def test_a_whole_number_is_an_integer_however_it_is_written(http: Http) -> None:
    raw = '{"text": "x", "importance": 1e0, "event_time": 0.0, "metadata": {"n": 2.0, "m": 1e300}}'
    answer = http.request("PUT", RECORD, path={"ns": "notes", "id": "a"}, raw=raw)
    assert answer.status == 201
    assert answer.body["record"]["event_time"] == "1970-01-01T00:00:00.000Z"
    assert '"n":2,"m":1e+300' in answer.raw
    body = {"text": "x", "importance": 1, "event_time": 0, "metadata": {"n": 2, "m": 1e300}}
    assert http.put("a", body).body["changed"] is False
    for limit, status in (("10.0", 200), ("1e1", 200), ("1.5", 422), ("1e9", 422), ("1e300", 422)):
        raw = f'{{"query": "x", "limit": {limit}}}'
        assert http.request("POST", "/search", raw=raw).status == status


def test_an_id_or_an_instant_with_a_broken_character_is_refused_and_not_rewritten(
    http: Http,
) -> None:
    http.put("old", {"text": "x"})
    for broken in ("\0", "\ud800"):
        http.put("a", {"text": "x", "supersedes": [f"old{broken}"]}).problem(422, "invalid-request")
        instant = f"2026-01-01T00:00:00Z{broken}"
        http.put("a", {"text": "x", "event_time": instant}).problem(422, "invalid-request")
    assert http.get("old").body["status"] == "active"
