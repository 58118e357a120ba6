"""What `POST /reconcile` takes in its body, and what it refuses: nothing begins then."""

from typing import Any

import pytest

from api.conftest import Http

OLD = {"a": "Ada keeps bees.", "b": "Ben bakes bread.", "c": "Cleo mends clocks."}
MOST = 4 * 1024 * 1024
NEWEST = 2**53 - 1
pytestmark = pytest.mark.usefixtures("places")


def items(texts: dict[str, str]) -> list[dict[str, Any]]:
    return [{"id": record_id, "text": text} for record_id, text in texts.items()]


@pytest.fixture
def listed(http: Http) -> Http:
    """A tenant whose namespace is a list of R = 5."""
    assert http.reconcile(revision=5, active=items(OLD)).body["applied"]
    return http


@pytest.mark.parametrize(
    "members",
    [
        {},
        {"revision": 1},
        {"active": []},
        {"active": [], "revision": None},
        {"active": None, "active_uri": None, "source": None, "revision": 1},
        {"active": [], "active_uri": "s3://uploadsbucket/lists/x/y", "revision": 1},
        {"active": [], "source": "canonical", "revision": 1},
        {"active_uri": "s3://uploadsbucket/lists/x/y"},
        {"source": "canonical", "revision": 1},
        {"source": "canonical", "forget": True},
        {"source": "table"},
        {"active": [], "revision": 1, "mode": "sync"},
        {"active": [], "revision": 1, "dry_run": "true"},
        {"active": [], "revision": 1, "forget": 1},
        {"active": {}, "revision": 1},
        {"active": [], "revision": 1, "namespace": 5},
        {"active": [], "revision": 1, "namespace": ".x"},
        {"active": [], "revision": 1, "namespaces": ["notes"]},
        {"active": [], "revision": 1, "tenant": "rival"},
        {"active": [], "revision": 1, "records": []},
    ],
)
def test_a_body_that_is_not_one_of_the_three_forms_is_422(http: Http, members: Any) -> None:
    http.reconcile(**members).problem(422, "invalid-request")
    assert http.clock() == 0


@pytest.mark.parametrize(
    ("item", "place"),
    [
        ({"id": "x"}, ["text"]),
        ({"text": "x"}, ["id"]),
        ({"id": "doc_x", "text": "x"}, ["id"]),
        ({"id": "x y", "text": "x"}, ["id"]),
        ({"id": "x\0", "text": "x"}, ["id"]),
        ({"id": 5, "text": "x"}, ["id"]),
        ({"id": "x", "text": " \0"}, ["text"]),
        ({"id": "x", "text": "x" * 100_001}, ["text"]),
        ({"id": "x", "text": "x", "supersedes": ["a"]}, ["supersedes"]),
        ({"id": "x", "text": "x", "supersedes": None}, ["supersedes"]),
        ({"id": "x", "text": "x", "status": "active"}, ["status"]),
        ({"id": "x", "text": "x", "revision": 3}, ["revision"]),
        ({"id": "x", "text": "x", "namespace": "notes"}, ["namespace"]),
        ({"id": "x", "text": "x", "metadata": {"k": None}}, ["metadata"]),
        ("x", []),
        (None, []),
    ],
)
def test_an_item_that_breaks_a_rule_is_422_for_the_whole_pass_and_nothing_begins(
    listed: Http, item: Any, place: list[str]
) -> None:
    active = [*items({"a": "Ada sells honey."}), item]
    problem = listed.reconcile(revision=9, active=active).problem(422, "invalid-request")
    assert problem["errors"][0]["loc"] == ["body", "active", 1, *place]
    assert listed.active() == OLD
    assert listed.reconcile(revision=5, active=items(OLD)).body["applied"]  # 9 has not begun


def test_of_many_wrong_items_the_first_is_told(http: Http) -> None:
    problem = http.reconcile(revision=1, active=[{}] * 50_000).problem(422, "invalid-request")
    assert {error["loc"][2] for error in problem["errors"]} == {0}


@pytest.mark.parametrize("how", [{}, {"mode": "async"}, {"dry_run": True}])
def test_an_id_that_is_there_twice_is_422_with_its_place_and_nothing_begins(
    listed: Http, how: Any
) -> None:
    active = [*items(OLD), {"id": "a", "text": OLD["a"]}]
    problem = listed.reconcile(revision=9, active=active, **how).problem(422, "invalid-request")
    (error,) = problem["errors"]
    assert (error["loc"], error["type"]) == (["body", "active", 3, "id"], "twice")
    assert listed.reconcile(revision=5, active=items(OLD)).body["applied"]


@pytest.mark.parametrize("revision", [0, 1, NEWEST, 1.0])
def test_a_revision_is_a_whole_number_from_0_to_2_53_less_1(http: Http, revision: Any) -> None:
    answer = http.reconcile(revision=revision, active=items(OLD))
    assert (answer.status, answer.body["source_revision"]) == (200, revision)


@pytest.mark.parametrize("revision", [-1, 1.5, "1", True, False, NEWEST + 1, [1], {}])
def test_anything_else_is_no_revision(http: Http, revision: Any) -> None:
    problem = http.reconcile(revision=revision, active=items(OLD)).problem(422, "invalid-request")
    assert problem["errors"][0]["loc"] == ["body", "revision"]
    assert http.clock() == 0


@pytest.mark.parametrize("room", [0, 1])
def test_a_body_has_4_mib_at_most(http: Http, room: int) -> None:
    body = '{"namespace":"notes","revision":1,"active":[]}'
    raw = body + " " * (MOST - len(body) + room)
    answer = http.request("POST", "/reconcile", raw=raw)
    if room:
        assert answer.problem(413, "too-large")["limit"] == MOST
    else:
        assert answer.body["applied"]


@pytest.mark.parametrize(
    ("raw", "content_type", "status", "slug"),
    [
        ('{"revision": 1, "active": []', "application/json", 400, "malformed-request"),
        ('{"revision": NaN, "active": []}', "application/json", 400, "malformed-request"),
        ('{"revision": 1, "active": []}', "text/plain", 415, "unsupported-media-type"),
        ('[{"revision": 1, "active": []}]', "application/json", 422, "invalid-request"),
        ("null", "application/json", 422, "invalid-request"),
    ],
)
def test_a_body_that_cannot_be_read_is_refused_as_everywhere(
    http: Http, raw: str, content_type: str, status: int, slug: str
) -> None:
    headers = {"Content-Type": content_type}
    http.request("POST", "/reconcile", raw=raw, headers=headers).problem(status, slug)


def test_a_namespace_outside_the_keys_patterns_is_403_before_the_rest_is_looked_at(
    http: Http,
) -> None:
    narrow = {**http.grant, "namespaces": "team-*"}
    for body in (
        {"active": 5},
        {"source": "canonical"},
        {"namespace": None, "source": "canonical"},
    ):
        http.reconcile(**body, grant=narrow).problem(403, "forbidden")
    inside = http.reconcile(namespace="team-a", revision=1, active=[], grant=narrow)
    assert inside.body["applied"]


@pytest.mark.parametrize("header", ["If-Match", "If-None-Match"])
def test_a_guard_that_means_nothing_here_is_refused(http: Http, header: str) -> None:
    answer = http.reconcile(revision=1, active=items(OLD), headers={header: "*"})
    problem = answer.problem(422, "invalid-request")
    assert problem["errors"][0]["loc"] == ["header", header.lower()]
    assert http.clock() == 0


def test_characters_that_no_text_may_have_are_taken_out_and_told_by_their_place(
    http: Http,
) -> None:
    raw = (
        '{"namespace":"notes","revision":1,"active":['
        '{"id":"a","text":"clean"},'
        '{"id":"b","text":"nu\\u0000l","metadata":{"k":"\\ud800x"}},'
        '{"id":"c","text":"x","tags":["t\\u0000","\\u0000u"]}]}'
    )
    answer = http.request("POST", "/reconcile", raw=raw)
    code = "broken_characters_removed"
    assert answer.body["warnings"] == [
        {"field": field, "code": code}
        for field in ("active.1.text", "active.1.metadata.k", "active.2.tags")
    ]
    assert http.active() == {"a": "clean", "b": "nul", "c": "x"}


@pytest.mark.parametrize("count", [100, 101])
def test_the_first_100_warnings_are_told(http: Http, count: int) -> None:
    active = [{"id": f"n{n}", "text": "x\0"} for n in range(count)]
    told = http.reconcile(revision=1, active=active, dry_run=True).body["warnings"]
    assert [one["field"] for one in told] == [f"active.{n}.text" for n in range(100)]
