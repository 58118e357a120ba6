"""POST /explain: where expected records were lost, over HTTP."""

from typing import Any

import pytest

from api.conftest import Answer, Http
from palimpsest.adapters.simulated import Fault, FaultKind, Operation

TEXTS = {
    "best": "The heron nests by the weir.",
    "other": "An otter sleeps by the weir.",
    "third": "Minutes of the budget meeting.",
}


@pytest.fixture
def weir(http: Http) -> Http:
    for record_id, text in TEXTS.items():
        http.put(record_id, {"text": text})
    http.project()
    return http


def explain(http: Http, *expected: Any, query: Any = "heron weir", **members: Any) -> Answer:
    body = {"query": query, "namespace": "notes", "expected": list(expected), **members}
    return http.request("POST", "/explain", body=body)


def stages(answer: Answer) -> dict[str, str]:
    assert answer.status == 200, answer.body
    return {one["id"]: one["stage"] for one in answer.body["expected"]}


def test_each_expected_id_is_told_in_the_order_asked_beside_the_search_itself(weir: Http) -> None:
    answer = explain(weir, "third", "nobody", "best", limit=1).body
    assert [(one["id"], one["stage"]) for one in answer["expected"]] == [
        ("third", "over_limit"),
        ("nobody", "unknown"),
        ("best", "returned"),
    ]
    plain = weir.search("heron weir", limit=1).body
    for member in ("hits", "score_kind", "deep", "rerank", "degraded", "revision", "query"):
        assert answer["search"][member] == plain[member]
    assert answer["search"].keys() == plain.keys()


def test_ranks_and_scores_of_every_stage_are_those_of_the_hit(weir: Http) -> None:
    answer = explain(weir, "best", "nobody", explain=True).body
    best, nobody = answer["expected"]
    hit = answer["search"]["hits"][0]
    assert best["stages"] == {
        "record": {"namespace": "notes", "status": "active", "revision": 1},
        "index": {"legs": ["lexical", "semantic"]},
        "lexical": hit["legs"]["lexical"],
        "semantic": hit["legs"]["semantic"],
        "fused": {"rank": 1, "score": hit["explain"]["fused"]},
    }
    assert nobody["stages"] == {"record": None}


def test_what_became_of_records_after_they_were_indexed_is_told(weir: Http) -> None:
    weir.delete("best")
    weir.put("newer", {"text": "No otter any more.", "supersedes": ["other"]})
    weir.put("third", {"text": "The heron by the weir, in the minutes."})
    weir.put("late", {"text": "heron"})
    told = stages(explain(weir, "best", "other", "third", "late", "newer"))
    assert told == {
        "best": "deleted",
        "other": "superseded",
        "third": "stale_in_index",
        "late": "not_indexed",
        "newer": "not_indexed",
    }


def test_filters_expiry_budgets_and_least_scores_are_stages(weir: Http) -> None:
    weir.put("past", {"text": "heron", "expires_at": "2020-01-01T00:00:00Z"})
    weir.project()
    assert stages(explain(weir, "past", "best", filter={"kind": "fact"})) == {
        "past": "expired",
        "best": "filtered",
    }
    assert stages(explain(weir, "best", "third", max_tokens=8)) == {
        "best": "returned",
        "third": "over_token_budget",
    }
    by_cosine = explain(weir, "best", "third", mode="semantic", min_score=0.3)
    assert stages(by_cosine) == {"best": "returned", "third": "below_min_score"}


def test_a_reranked_search_tells_what_the_reranker_gave(modelled: Http) -> None:
    for record_id, text in TEXTS.items():
        modelled.put(record_id, {"text": text})
    modelled.project()
    answer = explain(modelled, "best", "third", limit=2)
    assert stages(answer) == {"best": "returned", "third": "over_limit"}
    best, third = (one["stages"] for one in answer.body["expected"])
    assert best["rerank"] == {"rank": 1, "score": 1.0}
    assert third["rerank"] == {"rank": 3, "score": -1.0}
    assert answer.body["search"]["score_kind"] == "rerank:simulated"
    modelled.search_parts.reranker.inject(Fault(kind=FaultKind.OUTAGE))
    failed = explain(modelled, "best").body
    assert "rerank" not in failed["expected"][0]["stages"]
    assert failed["search"]["degraded"] == ["rerank"]


def test_a_deep_search_is_explained_and_so_is_one_whose_model_failed(modelled: Http) -> None:
    modelled.put("best", {"text": TEXTS["best"]})
    modelled.project()
    answer = explain(modelled, "best", query="who nests by the weir", deep=True)
    assert stages(answer) == {"best": "returned"}
    assert answer.body["search"]["deep"]["used"]
    modelled.search_parts.model.inject(Fault(kind=FaultKind.OUTAGE))
    failed = explain(modelled, "best", query="who nests by a weir", deep=True)
    assert (stages(failed), failed.body["search"]["degraded"]) == (
        {"best": "returned"},
        ["rewrite"],
    )


def test_c13_a_leg_that_is_down_is_told_and_the_rest_explained(weir: Http) -> None:
    weir.query_embedder.inject(Fault(kind=FaultKind.OUTAGE, operation=Operation.QUERY))
    answer = explain(weir, "best", "third")
    assert stages(answer) == {"best": "returned", "third": "semantic_rank"}
    assert answer.body["search"]["degraded"] == ["semantic"]
    problem = explain(weir, "best", query="nothing embedded yet", mode="semantic")
    problem.problem(503, "unavailable")


def test_several_namespaces_tell_where_the_record_is(weir: Http) -> None:
    weir.put("only", {"text": "A heron elsewhere."}, ns="more")
    weir.project("more")
    members = {"namespace": None, "namespaces": ["notes", "more"]}
    answer = explain(weir, "only", "best", **members)
    assert stages(answer) == {"only": "returned", "best": "returned"}
    names = [one["stages"]["record"]["namespace"] for one in answer.body["expected"]]
    assert names == ["more", "notes"]
    assert answer.body["search"]["revision"].keys() == {"notes", "more"}
    assert stages(explain(weir, "only")) == {"only": "unknown"}


def test_the_search_goes_on_by_its_cursor(weir: Http) -> None:
    cursor = explain(weir, "best", limit=1).body["search"]["next_cursor"]
    later = weir.search("heron weir", limit=5, cursor=cursor).body
    assert [hit["id"] for hit in later["hits"]] == weir.found("heron weir")[1:]


@pytest.mark.parametrize(
    "expected",
    [["a"], [f"r{n}" for n in range(10)], ["a" * 256], ["doc_1"], ["A-Z.a_z:0@9~=,"], ["a", "a"]],
)
def test_one_to_ten_ids_are_explained(http: Http, expected: list[str]) -> None:
    answer = explain(http, *expected).body
    assert [one["id"] for one in answer["expected"]] == expected
    assert {one["stage"] for one in answer["expected"]} == {"unknown"}


@pytest.mark.parametrize(
    "expected",
    [
        [],
        [f"r{n}" for n in range(11)],
        None,
        "a",
        {"a": 1},
        5,
        [""],
        ["a" * 257],
        ["a/b"],
        ["a b"],
        ["."],
        [".."],
        ["ä"],
        ["a\0"],
        ["a\ud83d"],
        [5],
        [None],
        [["a"]],
    ],
)
def test_what_is_no_list_of_one_to_ten_ids_is_refused(http: Http, expected: Any) -> None:
    body = {"query": "x", "namespace": "notes", "expected": expected}
    problem = http.request("POST", "/explain", body=body).problem(422, "invalid-request")
    assert any("expected" in error["loc"] for error in problem["errors"])


def test_expected_is_needed_and_is_no_member_of_a_search(http: Http) -> None:
    body = {"query": "x"}
    problem = http.request("POST", "/explain", body=body).problem(422, "invalid-request")
    assert any("expected" in error["loc"] for error in problem["errors"])
    http.search("x", expected=["a"]).problem(422, "invalid-request")


@pytest.mark.parametrize(
    "members",
    [
        {"cursor": "AAAA"},
        {"cursor": ""},
        {"limit": 0},
        {"limit": 101},
        {"max_tokens": 0},
        {"min_score": 0.5},
        {"rerank": True},
        {"mode": "fuzzy"},
        {"tenant": "other"},
        {"offset": 3},
    ],
)
def test_the_limits_of_a_search_hold_and_a_cursor_is_refused(
    http: Http, members: dict[str, Any]
) -> None:
    problem = explain(http, "a", **members).problem(422, "invalid-request")
    assert any(next(iter(members)) in error["loc"] for error in problem["errors"])


def test_h5_null_means_not_given(weir: Http) -> None:
    names = ("filter", "time_range", "mode", "deep", "fusion", "rerank", "min_score", "max_tokens")
    more = ("min_revision", "wait_ms", "timeout_ms", "explain", "cursor", "limit", "semantic")
    empty = explain(weir, "best", **dict.fromkeys([*names, *more])).body
    plain = explain(weir, "best").body
    assert empty["expected"] == plain["expected"]
    assert empty["search"]["hits"] == plain["search"]["hits"]


@pytest.mark.parametrize("query", ["", "  ", None, 5, "\0", "x" * 10_001, "y" * 600_000])
def test_a7_a13_a_query_that_asks_nothing_or_too_much_is_refused(http: Http, query: Any) -> None:
    problem = explain(http, "a", query=query).problem(422, "invalid-request")
    assert any("query" in error["loc"] for error in problem["errors"])


def test_broken_characters_in_the_query_are_removed_and_named(weir: Http) -> None:
    answer = explain(weir, "best", query="heron\0 weir\ud83d").body
    assert answer["search"]["query"] == "heron weir"
    assert answer["search"]["warnings"] == [{"field": "query", "code": "broken_characters_removed"}]


def test_e2_another_tenants_records_are_unknown(weir: Http) -> None:
    weir.grant = {**weir.grant, "tenant": f"{weir.grant['tenant']}-rival"}
    answer = explain(weir, "best")
    assert stages(answer) == {"best": "unknown"}
    assert answer.body["expected"][0]["stages"] == {"record": None}
    weir.grant = {**weir.grant, "namespaces": "team-*"}
    explain(weir, "best").problem(403, "forbidden")
