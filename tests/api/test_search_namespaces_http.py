from typing import Any

import pytest

from api.conftest import Answer, Http

TEXT = {"text": "the heron by the river"}


def search(http: Http, namespaces: Any, **members: Any) -> Answer:
    grant = members.pop("grant", http.grant)
    body = {"query": "heron", "namespaces": namespaces, **members}
    return http.request("POST", "/search", body=body, grant=grant)


def hits(answer: Answer) -> list[tuple[str, str]]:
    assert answer.status == 200, answer.body
    return [(hit["namespace"], hit["id"]) for hit in answer.body["hits"]]


@pytest.fixture
def rooms(http: Http) -> Http:
    for name in ("team-a", "team-b", "other"):
        http.put("same", TEXT, ns=name)
        http.put(f"only-{name}", TEXT, ns=name)
        http.project(name)
    return http


@pytest.mark.parametrize("mode", ["hybrid", "lexical", "semantic"])
def test_hits_carry_their_namespace_and_equal_ids_are_both_there(rooms: Http, mode: str) -> None:
    assert hits(search(rooms, ["team-b", "team-a"], mode=mode)) == [
        ("team-a", "only-team-a"),
        ("team-b", "only-team-b"),
        ("team-a", "same"),
        ("team-b", "same"),
    ]


def test_revisions_are_a_map_by_namespace_also_of_one(rooms: Http) -> None:
    rooms.put("late", TEXT, ns="team-a")
    assert search(rooms, ["team-a", "never-used"]).body["revision"] == {
        "team-a": {"corpus": 3, "indexed": 2},
        "never-used": {"corpus": 0, "indexed": 0},
    }
    assert search(rooms, ["team-b"]).body["revision"] == {"team-b": {"corpus": 2, "indexed": 2}}
    assert rooms.search("heron", namespace="team-b").body["revision"] == {"corpus": 2, "indexed": 2}


def test_filters_limits_and_explanations_work_as_in_one_namespace(rooms: Http) -> None:
    both = ["team-a", "team-b"]
    assert len(hits(search(rooms, both, limit=3))) == 3
    assert hits(search(rooms, both, limit=3)) == hits(search(rooms, both))[:3]
    wanted = {"id": {"prefix": "only-"}, "not": {"id": "only-team-a"}}
    assert hits(search(rooms, both, filter=wanted)) == [("team-b", "only-team-b")]
    for hit in search(rooms, both, explain=True).body["hits"]:
        assert hit["explain"]["fused"] == hit["score"]


def test_null_means_not_given(rooms: Http) -> None:
    body = {"query": "heron", "namespace": None, "namespaces": None}
    assert rooms.request("POST", "/search", body=body).body["revision"] == {
        "corpus": 0,
        "indexed": 0,
    }
    assert search(rooms, ["team-a"], namespace=None, min_revision=None).status == 200


@pytest.mark.parametrize(
    ("members", "named"),
    [
        ({"namespaces": []}, "namespaces"),
        ({"namespaces": ["a", "a"]}, "namespaces"),
        ({"namespaces": [f"n{n}" for n in range(11)]}, "namespaces"),
        ({"namespaces": "a"}, "namespaces"),
        ({"namespaces": {"a": 1}}, "namespaces"),
        ({"namespaces": 5}, "namespaces"),
        ({"namespaces": [5]}, "namespaces"),
        ({"namespaces": [None]}, "namespaces"),
        ({"namespaces": ["a", ""]}, "namespaces"),
        ({"namespaces": ["a", ".b"]}, "namespaces"),
        ({"namespaces": ["a", "b#c"]}, "namespaces"),
        ({"namespaces": ["a", "b" * 129]}, "namespaces"),
        ({"namespaces": ["a", "*"]}, "namespaces"),
        ({"namespaces": [["a"]]}, "namespaces"),
        ({"namespaces": ["a"], "namespace": "a"}, "namespaces"),
        ({"namespaces": ["a"], "namespace": "b"}, "namespaces"),
        ({"namespaces": ["a"], "min_revision": 1}, "min_revision"),
        ({"namespaces": ["a", "b"], "min_revision": 0}, "min_revision"),
    ],
)
def test_what_breaks_a_rule_is_422_naming_it(
    http: Http, members: dict[str, Any], named: str
) -> None:
    answer = http.request("POST", "/search", body={"query": "x", **members})
    problem = answer.problem(422, "invalid-request")
    assert any(named in error["loc"] for error in problem["errors"])


@pytest.mark.parametrize("count", [1, 10])
def test_one_to_ten_namespaces_are_served(http: Http, count: int) -> None:
    names = [f"n{n}" for n in range(count)]
    for name in names:
        http.put("a", TEXT, ns=name)
        http.project(name)
    assert hits(search(http, names, limit=20)) == [(name, "a") for name in names]


@pytest.mark.parametrize(
    ("patterns", "namespaces", "allowed"),
    [
        ("team-*", ["team-a", "team-b"], True),
        ("team-*", ["team-a", "other"], False),
        ("team-*", ["other"], False),
        ("team-a,other", ["other", "team-a"], True),
        ("team-a,other", ["team-a", "team-b"], False),
        ("*", ["team-a", "other"], True),
    ],
)
def test_every_namespace_must_be_covered_by_the_key(
    rooms: Http, patterns: str, namespaces: list[str], *, allowed: bool
) -> None:
    answer = search(rooms, namespaces, grant={**rooms.grant, "namespaces": patterns})
    if allowed:
        assert {name for name, _ in hits(answer)} == set(namespaces)
    else:
        answer.problem(403, "forbidden")


def test_a_namespace_beside_the_list_is_checked_too(rooms: Http) -> None:
    grant = {**rooms.grant, "namespaces": "team-*"}
    search(rooms, ["team-a"], namespace="other", grant=grant).problem(403, "forbidden")


def test_c7_two_tenants_with_the_same_namespaces_and_ids_never_see_each_other(
    rooms: Http,
) -> None:
    rival = Http(rooms._modules, tenant=f"{rooms.grant['tenant']}x")
    rival.put("same", {"text": "the heron of somebody else"}, ns="team-a")
    rival.project("team-a")
    wanted: list[dict[str, Any]] = [{}, {"filter": {"not": {"id": "nobody"}}}]
    for members in wanted:
        for mode in ("hybrid", "lexical", "semantic"):
            theirs = search(rival, ["team-a", "team-b", "other"], mode=mode, **members)
            assert hits(theirs) == [("team-a", "same")]
            assert theirs.body["hits"][0]["text"] == "the heron of somebody else"
            mine = search(rooms, ["team-a", "team-b"], mode=mode, **members)
            assert len(hits(mine)) == 4
            assert "somebody else" not in str(mine.body)


def test_what_was_forgotten_in_one_namespace_stays_in_the_other(rooms: Http) -> None:
    rooms.delete("same", ns="team-a")
    both = ["team-a", "team-b"]
    for _ in range(2):
        found = hits(search(rooms, both))
        assert ("team-a", "same") not in found
        assert ("team-b", "same") in found
        rooms.project("team-a")
