"""Walks through the pages of one search, and cursors that do not open."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from api.conftest import RECORD, Answer, Http
from openapi.generate import document
from palimpsest.adapters.simulated import Fault, FaultKind

ANIMALS = ("heron", "otter", "lynx", "badger", "falcon", "marten", "pike")
QUERY = "the heron by the river"
RECORDS = "/namespaces/{ns}/records"


def text(n: int) -> str:
    return f"Note {n}: the {ANIMALS[n % 7]} and the {ANIMALS[n % 5]} " + "river " * (n % 4)


def fill(http: Http, count: int, *, ns: str = "notes", text: Callable[[int], str] = text) -> Http:
    for start in range(0, count, 25):
        operations = [
            {"op": "put", "id": f"r{n:03}", "record": {"text": text(n)}}
            for n in range(start, min(start + 25, count))
        ]
        assert http.commit({"operations": operations}, ns=ns).status == 200
    http.project(ns)
    return http


@pytest.fixture
def few(http: Http) -> Http:
    return fill(http, 12)


def pages(http: Http, *, limits: Iterator[int] | int = 20, **members: Any) -> Iterator[Answer]:
    """Every page of a search, one after another, asked for when it is wanted."""
    body = {"query": QUERY, "namespace": "notes", **members}
    cursor = None
    for _ in range(100):
        limit = limits if isinstance(limits, int) else next(limits)
        asked = {**body, "limit": limit, "cursor": cursor}
        answer = http.request("POST", "/search", body=asked)
        assert answer.status == 200, answer.body
        assert len(answer.body["hits"]) <= limit
        yield answer
        cursor = answer.body["next_cursor"]
        if cursor is None:
            return
    raise AssertionError("the walk does not end")


def hits(walk: Iterator[Answer]) -> list[Any]:
    return [hit for page in walk for hit in page.body["hits"]]


def first_cursor(http: Http, **members: Any) -> str:
    cursor = next(pages(http, limits=3, **members)).body["next_cursor"]
    assert isinstance(cursor, str)
    return cursor


def go_on(http: Http, cursor: str, *, limit: int = 3, **members: Any) -> Answer:
    """The next page; a member that is `...` is left out."""
    body = {"query": QUERY, "namespace": "notes", "cursor": cursor, "limit": limit, **members}
    given = {name: value for name, value in body.items() if value is not ...}
    return http.request("POST", "/search", body=given)


def test_a_walk_during_writes_serves_what_stayed_true_exactly_once(http: Http) -> None:
    fill(http, 62)
    walk = pages(http, limits=10)
    seen = {hit["id"]: hit["text"] for hit in next(walk).body["hits"]}
    ahead = [f"r{n:03}" for n in range(62) if f"r{n:03}" not in seen]
    gone: set[str] = set()
    rounds = 0
    for page in walk:
        found = {hit["id"]: hit["text"] for hit in page.body["hits"]}
        assert len(found) == len(page.body["hits"])
        assert not found.keys() & (seen.keys() | gone)
        seen |= found
        left = [one for one in ahead if one not in seen and one not in gone]
        gone |= change(http, left[:3], rounds)
        rounds += 1
    assert rounds >= 4
    assert seen == {f"r{n:03}": text(n) for n in range(62) if f"r{n:03}" not in gone}
    assert len(gone) >= 9


def change(http: Http, ids: list[str], rounds: int) -> set[str]:
    """One record forgotten, one replaced, one of another text, and new ones."""
    http.put(f"new{rounds}", {"text": f"{QUERY} {rounds}"})
    if rounds % 2:
        http.project()
    if len(ids) < 3:
        return set()
    assert http.delete(ids[0]).status == 200
    http.put(f"newer{rounds}", {"text": QUERY, "supersedes": [ids[1]]})
    http.put(ids[2], {"text": "something else entirely"})
    return set(ids)


def test_a_change_of_other_fields_is_shown_as_it_is_now(few: Http) -> None:
    walk = pages(few, limits=6)
    first = {hit["id"] for hit in next(walk).body["hits"]}
    (later, *_) = sorted({f"r{n:03}" for n in range(12)} - first)
    few.put(later, {"text": text(int(later[1:])), "kind": "fact"})
    assert {hit["id"]: hit["kind"] for hit in hits(walk)}[later] == "fact"


def test_c1_small_pages_large_pages_and_mixed_ones_are_the_same_walk(http: Http) -> None:
    fill(http, 66)
    for members in ({}, {"mode": "semantic", "explain": True}):
        whole = hits(pages(http, limits=60, **members))
        assert len({hit["id"] for hit in whole}) == len(whole) == 66
        assert hits(pages(http, limits=9, **members)) == whole
        assert hits(pages(http, limits=iter([1, 100, 2, 50]), **members)) == whole


def test_h13_the_last_page_has_no_cursor_and_neither_has_an_empty_one(few: Http) -> None:
    assert next(pages(few, limits=12)).body["next_cursor"] is None
    assert next(pages(few, limits=11)).body["next_cursor"] is not None
    assert few.search(QUERY, filter={"kind": "none"}).body["next_cursor"] is None
    assert [len(page.body["hits"]) for page in pages(few, limits=5)] == [5, 5, 2]


def test_a_later_page_tells_how_the_search_fared_and_what_is_true_now(few: Http) -> None:
    first, second = list(pages(few, limits=6, explain=True))
    for member in ("query", "score_kind", "deep", "rerank", "degraded", "warnings"):
        assert second.body[member] == first.body[member]
    for leg in ("lexical", "semantic"):
        assert second.body["legs"][leg]["hits"] == first.body["legs"][leg]["hits"]
        assert second.body["legs"][leg]["status"] == "ok"
    for hit in second.body["hits"]:
        assert hit["explain"]["fused"] == hit["score"]
        assert hit["explain"]["legs"].keys() == {leg for leg, at in hit["legs"].items() if at}
    assert set(second.body["usage"].values()) == {0}
    assert second.body["timings_ms"].keys() == {"hydrate", "total"}


OTHER_MEMBERS: list[dict[str, Any]] = [
    {"query": "the otter by the river"},
    {"namespace": "other"},
    {"namespace": ...},
    {"namespace": ..., "namespaces": ["notes"]},
    {"namespace": ..., "namespaces": ["notes", "other"]},
    {"filter": {"kind": {"exists": False}}},
    {"time_range": {"start": "2020-01-01T00:00:00Z"}},
    {"mode": "hybrid"},
    {"semantic": "never"},
    {"deep": False},
    {"fusion": {"method": "rrf"}},
    {"fusion": {"lexical": 0.4}},
    {"rerank": False},
    {"min_score": -0.9},
    {"max_tokens": 1_000_000},
    {"min_revision": 1},
    {"wait_ms": 1},
    {"timeout_ms": 5001},
    {"explain": True},
]


def test_a_cursor_is_bound_to_every_member_but_the_limit(few: Http) -> None:
    cursor = first_cursor(few, mode="semantic")
    for other in OTHER_MEMBERS:
        members = {"mode": "semantic", **other}
        go_on(few, cursor, **members).problem(422, "cursor-mismatch")
    spelt: dict[str, Any] = {"filter": {}, "deep": "auto", "rerank": None, "explain": False}
    spelt["timeout_ms"] = 5000
    for limit in (1, 3, 100, None):
        members = {"mode": "semantic", **spelt, "limit": limit}
        assert go_on(few, cursor, **members).status == 200


def test_every_member_of_a_search_is_among_those() -> None:
    operation = document()["paths"]["/search"]["post"]
    reference = operation["requestBody"]["content"]["application/json"]["schema"]["$ref"]
    members = document()["components"]["schemas"][reference.rpartition("/")[2]]["properties"]
    assert members.keys() - {"limit", "cursor"} == {name for one in OTHER_MEMBERS for name in one}


def test_e2_a_cursor_of_another_tenant_does_not_open(few: Http) -> None:
    cursor, own = first_cursor(few), few.grant
    few.grant = {**own, "tenant": f"{own['tenant']}-other"}
    go_on(few, cursor).problem(422, "cursor-mismatch")
    few.grant = own
    assert go_on(few, cursor).status == 200


def test_a_mangled_cursor_does_not_open(few: Http) -> None:
    cursor = first_cursor(few)
    mangled = ["nonsense", "e30", "AAAA", "%%%", "ü", "A" * 500_000, " ", cursor * 2]
    mangled += [cursor[:-1], cursor[:-4], cursor[:20], cursor[1:], f"{cursor}=", f"{cursor}A"]
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    mangled += [cursor[:-1] + last for last in alphabet if last != cursor[-1]]
    for place in range(0, len(cursor), max(1, len(cursor) // 20)):
        turned = "A" if cursor[place] != "A" else "B"
        mangled.append(cursor[:place] + turned + cursor[place + 1 :])
    for one in mangled:
        go_on(few, one).problem(422, "cursor-mismatch")


def test_a_cursor_that_is_too_long_or_none_is_an_invalid_request(few: Http) -> None:
    unfit: list[Any] = ["A" * 500_001, "", 5, [], {}, True]
    for cursor in unfit:
        problem = go_on(few, cursor).problem(422, "invalid-request")
        assert any("cursor" in error["loc"] for error in problem["errors"])


def test_a_lists_cursor_is_none_of_a_search_and_the_other_way_round(few: Http) -> None:
    listed = few.request("GET", RECORDS, path={"ns": "notes"}, query={"limit": "1"})
    go_on(few, listed.body["next_cursor"]).problem(422, "cursor-mismatch")
    query = {"limit": "1", "cursor": first_cursor(few)}
    other = few.request("GET", RECORDS, path={"ns": "notes"}, query=query)
    assert other.status == 422
    assert few.request("GET", RECORD, path={"ns": "notes", "id": "r000"}).status == 200


def test_a_cursor_of_another_index_generation_does_not_open(few: Http) -> None:
    cursor = first_cursor(few)
    few.search_parts.index.renew()
    go_on(few, cursor).problem(422, "cursor-mismatch")
    few.project()
    go_on(few, cursor).problem(422, "cursor-mismatch")
    assert go_on(few, first_cursor(few)).status == 200


def test_a_walk_through_several_namespaces_keeps_equal_ids_apart(few: Http) -> None:
    fill(few, 9, ns="more", text=lambda n: f"The {ANIMALS[n % 7]} {n} of another river")
    members: dict[str, Any] = {"namespace": None, "namespaces": ["notes", "more"]}
    found = hits(pages(few, limits=4, **members))
    keys = [(hit["namespace"], hit["id"]) for hit in found]
    assert len(set(keys)) == len(keys) == 21
    assert found == hits(pages(few, limits=100, **members))
    for page in pages(few, limits=8, **members):
        assert page.body["revision"].keys() == {"notes", "more"}
    swapped = {**members, "namespaces": ["more", "notes"]}
    go_on(few, first_cursor(few, **members), **swapped).problem(422, "cursor-mismatch")


def test_a_budget_of_tokens_holds_for_each_page_and_the_walk_is_complete(few: Http) -> None:
    few.put("long", {"text": "river heron " * 60})
    few.project()
    truncated = []
    found = []
    for page in pages(few, limits=100, max_tokens=40):
        texts = [hit["text"] for hit in page.body["hits"]]
        assert texts
        assert sum(-(-len(one) // 4) for one in texts) <= 40
        truncated += [hit["id"] for hit in page.body["hits"] if hit["truncated"]]
        found += [hit["id"] for hit in page.body["hits"]]
    assert sorted(found) == sorted({"long", *(f"r{n:03}" for n in range(12))})
    assert truncated == ["long"]


def test_a_page_that_bytes_closed_goes_on_by_its_cursor(http: Http) -> None:
    for start in range(0, 48, 8):
        operations = [
            {"op": "put", "id": f"r{n:03}", "record": {"text": f"heron {n} " + "x" * 99_000}}
            for n in range(start, start + 8)
        ]
        assert http.commit({"operations": operations}).status == 200
    http.project()
    first, second = pages(http, limits=100, mode="lexical")
    assert first.body["warnings"] == [{"field": "hits", "code": "page_closed_early"}]
    assert len(first.raw.encode()) < 4_000_000
    assert len(first.body["hits"]) > 30
    assert second.body["warnings"] == []
    ids = [hit["id"] for page in (first, second) for hit in page.body["hits"]]
    assert len(ids) == len(set(ids)) == 48


def test_a_walk_with_a_reranker_never_mixes_scores_and_covers_the_whole_list(
    modelled: Http,
) -> None:
    fill(modelled, 75)
    walk = [page.body for page in pages(modelled)]
    assert [len(page["hits"]) for page in walk] == [20, 20, 10, 20, 5]
    assert [page["score_kind"] for page in walk] == ["rerank:simulated"] * 3 + ["weighted"] * 2
    for kind in ("rerank:simulated", "weighted"):
        scores = [hit["score"] for page in walk if page["score_kind"] == kind
                  for hit in page["hits"]]  # fmt: skip
        assert scores == sorted(scores, reverse=True)
    found = [hit["id"] for page in walk for hit in page["hits"]]
    plain = [hit["id"] for hit in hits(pages(modelled, rerank=False))]
    assert sorted(found) == sorted(plain) == [f"r{n:03}" for n in range(75)]
    assert set(found[:50]) == set(plain[:50])
    assert found[50:] == plain[50:]
    assert {page["rerank"]["status"] for page in walk} == {"ok"}
    whole = next(pages(modelled, limits=100)).body
    assert (len(whole["hits"]), whole["score_kind"]) == (50, "rerank:simulated")


def test_c13_a_walk_on_which_the_reranker_failed_says_so_on_every_page(modelled: Http) -> None:
    fill(modelled, 12)
    modelled.search_parts.reranker.inject(Fault(kind=FaultKind.OUTAGE))
    for page in pages(modelled, limits=5, min_score=0.5):
        assert page.body["degraded"] == ["rerank"]
        assert page.body["rerank"] == {"status": "failed", "reason": "reranker_unavailable"}
        assert page.body["score_kind"] == "weighted"
        assert page.body["warnings"] == [{"field": "min_score", "code": "ignored_without_reranker"}]


def test_a_later_page_of_a_deep_search_asks_no_model(modelled: Http) -> None:
    fill(modelled, 20)
    walk = pages(modelled, limits=6, deep=True, explain=True)
    first = next(walk).body
    assert first["deep"]["used"]
    assert (first["usage"]["llm_calls"], first["usage"]["rerank_calls"]) == (1, 1)
    assert first["usage"]["embedding_calls"] == len(first["deep"]["variations"])
    parts = modelled.search_parts
    before = [len(part.calls) for part in (parts.model, parts.reranker, modelled.query_embedder)]
    for page in walk:
        assert page.body["deep"] == first["deep"]
        assert set(page.body["usage"].values()) == {0}
    after = [len(part.calls) for part in (parts.model, parts.reranker, modelled.query_embedder)]
    assert after == before
    walked = hits(pages(modelled, limits=6, deep=True, explain=True))
    assert walked == hits(pages(modelled, limits=50, deep=True, explain=True))
