"""`Idempotency-Key` on every write, through the handlers."""

import re
from typing import Any

import pytest

from api.conftest import RECORD, Http

RECORDS = "/namespaces/{ns}/records"
UUID7 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")


def create(http: Http, text: str = "x", *, key: str | None = None, **options: Any) -> Any:
    headers = {"Idempotency-Key": key} if key is not None else {}
    body = {"text": text, **options.pop("fields", {})}
    path = {"ns": options.pop("ns", "notes")}
    return http.request("POST", RECORDS, path=path, body=body, headers=headers, **options)


def keyed(key: str = "k1", **headers: str) -> dict[str, str]:
    return {"Idempotency-Key": key, **headers}


def test_post_makes_ids_of_version_7_that_grow_with_time_and_can_be_read(http: Http) -> None:
    made = [create(http, f"{n}") for n in range(5)]
    names = [answer.body["record"]["id"] for answer in made]
    assert [answer.status for answer in made] == [201] * 5
    assert all(map(UUID7.fullmatch, names))
    assert names == sorted(names)
    assert [answer.headers["location"] for answer in made] == [f"./records/{i}" for i in names]
    assert made[0].headers["etag"] == '"1"'
    assert http.get(names[0]).body == made[0].body["record"]


def test_a_repeated_post_gives_the_first_answer_and_writes_once(http: Http) -> None:
    first, again = create(http, key="k1"), create(http, key="k1")
    told = [(a.status, a.body, a.headers["location"], a.headers["etag"]) for a in (first, again)]
    assert told[0] == told[1]
    assert http.clock() == 1


def test_a_repeated_answer_is_what_it_was_then_also_after_later_changes(http: Http) -> None:
    first = http.put("a", {"text": "v1"}, headers=keyed(**{"If-None-Match": "*"}))
    http.put("a", {"text": "v2"})
    again = http.put("a", {"text": "v1"}, headers=keyed(**{"If-None-Match": "*"}))
    assert (again.status, again.body) == (201, first.body)
    assert http.get("a").body["text"] == "v2"
    assert http.clock() == 2


def test_f1_a_repeated_answer_does_not_bring_back_what_has_been_forgotten_since(
    http: Http,
) -> None:
    first = create(http, "zebrasecret", key="k1", fields={"title": "zebrasecret"})
    http.delete(first.body["record"]["id"])
    again = create(http, "zebrasecret", key="k1", fields={"title": "zebrasecret"})
    assert (again.status, again.body["record"], again.body["revision"]) == (201, None, 1)
    assert "zebrasecret" not in str(again.body)


def test_warnings_come_again_with_the_repeated_answer(http: Http) -> None:
    first, again = create(http, "a\0b", key="k1"), create(http, "a\0b", key="k1")
    assert first.body["warnings"] == again.body["warnings"] != []


@pytest.mark.parametrize(
    "another",
    [
        lambda http: create(http, "y", key="k1"),
        lambda http: create(http, "x", key="k1", fields={"kind": "fact"}),
        lambda http: http.put("a", {"text": "x"}, headers=keyed()),
        lambda http: http.put("a", {"text": "x"}, headers=keyed(**{"If-None-Match": "*"})),
        lambda http: http.delete("a", headers=keyed()),
        lambda http: http.request(
            "POST", "/namespaces/{ns}/unsearchable/retry", path={"ns": "notes"}, headers=keyed()
        ),
    ],
)
def test_the_key_with_another_body_path_method_or_guard_is_a_mismatch(
    http: Http, another: Any
) -> None:
    create(http, key="k1")
    another(http).problem(409, "idempotency-mismatch")
    assert http.clock() == 1


def test_the_parsed_body_counts_not_its_spelling(http: Http) -> None:
    raw = ['{"text": "once", "kind": "fact"}', '{ "kind":"fact",\n "text":"\\u006fnce" }']
    told = [
        http.request("POST", RECORDS, path={"ns": "notes"}, raw=text, headers=keyed())
        for text in raw
    ]
    assert told[0].body == told[1].body
    assert http.clock() == 1


def test_a_repeated_delete_and_commit_give_their_first_answers(http: Http) -> None:
    operations = [{"op": "put", "id": "a", "record": {"text": "v1"}, "expected_revision": 0}]
    commit = {"expected_revision": 0, "operations": operations}
    first = http.commit(commit, headers=keyed("c"))
    assert http.commit(commit, headers=keyed("c")).body == first.body
    gone = http.delete("a", headers=keyed("d", **{"If-Match": '"1"'}))
    again = http.delete("a", headers=keyed("d", **{"If-Match": '"1"'}))
    assert (again.status, again.body) == (200, gone.body)
    assert http.clock() == 2


def test_keys_of_two_namespaces_and_tenants_do_not_meet(http: Http) -> None:
    create(http, "one", key="k1")
    assert create(http, "two", key="k1", ns="other").status == 201
    theirs = create(http, "three", key="k1", grant={**http.grant, "tenant": "somebody-else"})
    assert theirs.status == 201


@pytest.mark.parametrize("key", ["k" * 255, " ", "~", "a key: with/all #sorts"])
def test_a_key_is_1_to_255_printable_characters(http: Http, key: str) -> None:
    assert create(http, key=key).status == 201


@pytest.mark.parametrize("key", ["", "k" * 256, "a\tb", "é", "a\x7f"])
def test_anything_else_is_no_key(http: Http, key: str) -> None:
    problem = create(http, key=key).problem(422, "invalid-request")
    assert problem["errors"][0]["loc"] == ["header", "idempotency-key"]
    assert http.clock() == 0


def test_reading_routes_do_not_look_at_keys(http: Http) -> None:
    http.put("a", {"text": "x"})
    assert (
        http.request("GET", RECORD, path={"ns": "notes", "id": "a"}, headers=keyed("")).status
        == 200
    )
