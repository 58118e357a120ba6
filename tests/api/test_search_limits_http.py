"""Members of a search on both sides of their limits, and page cuts and models over HTTP."""

from typing import Any

import pytest

from api.conftest import Http
from palimpsest.adapters.simulated import Fault, FaultKind

TEXT = "The heron nests by the weir. "


@pytest.fixture
def weir(http: Http) -> Http:
    for n in range(4):
        http.put(f"r{n}", {"text": f"{n} {TEXT * 20}"[:600]})
    http.project()
    return http


WITHIN: list[dict[str, Any]] = [
    {"max_tokens": 1},
    {"max_tokens": 1_000_000},
    {"max_tokens": None},
    {"mode": "semantic", "min_score": -1e9},
    {"mode": "semantic", "min_score": 1e9},
    {"mode": "semantic", "min_score": 0},
    {"fusion": {"method": "blend"}, "min_score": 0.5},
    {"min_score": None},
    {"cursor": None},
    {"deep": "auto"},
    {"deep": True},
    {"deep": False},
    {"rerank": "auto"},
    {"rerank": False},
    {"fusion": {"method": "rrf", "lexical": 0, "semantic": 1_000_000}},
    {"fusion": {}},
    {"timeout_ms": 50, "mode": "lexical"},
    {"timeout_ms": 25_000},
    {"limit": 10.0},
]


def test_what_is_within_the_limits_is_served(weir: Http) -> None:
    for members in WITHIN:
        answer = weir.search("heron", **members)
        assert answer.status == 200 or members.get("timeout_ms") == 50, answer.body


@pytest.mark.parametrize(
    "members",
    [
        {"max_tokens": 0},
        {"max_tokens": -1},
        {"max_tokens": 1_000_001},
        {"max_tokens": "80"},
        {"max_tokens": True},
        {"min_score": 1.1e9, "mode": "semantic"},
        {"min_score": -1.1e9, "mode": "semantic"},
        {"min_score": [], "mode": "semantic"},
        {"min_score": 0.5},
        {"min_score": 0.5, "mode": "lexical"},
        {"min_score": 0.5, "fusion": {"method": "rrf"}},
        {"deep": "true"},
        {"deep": 0},
        {"rerank": "false"},
        {"rerank": 1},
        {"rerank": True},  # there is none here
        {"fusion": {"method": "rrf", "lexical": 1_000_001}},
        {"fusion": "rrf"},
        {"tenant": "other"},
        {"expected": ["a"]},
    ],
)
def test_what_is_outside_the_limits_is_refused_by_name(http: Http, members: dict[str, Any]) -> None:
    problem = http.search("heron", **members).problem(422, "invalid-request")
    assert any(next(iter(members)) in error["loc"] for error in problem["errors"])


def test_c17_the_first_hit_over_the_budget_is_cut_and_marked(weir: Http) -> None:
    (hit,) = weir.search("heron", max_tokens=80).body["hits"]
    assert (len(hit["text"]), hit["truncated"]) == (320, True)
    assert weir.get(hit["id"]).body["text"].startswith(hit["text"])
    whole = weir.search("heron", max_tokens=300).body
    assert [hit["truncated"] for hit in whole["hits"]] == [False, False]
    assert whole["next_cursor"] is not None


def test_c17_a_cut_parts_no_emoji(http: Http) -> None:
    http.put("a", {"text": "heron " + "👩‍👩‍👧‍👦" * 40})
    http.project()
    for budget in range(2, 20):
        (hit,) = http.search("heron", max_tokens=budget).body["hits"]
        assert hit["truncated"]
        text = hit["text"].removeprefix("heron ")
        assert text == "👩‍👩‍👧‍👦" * (len(text) // 7)
        assert 4 * budget - 7 < len(hit["text"]) <= 4 * budget


def test_c16_an_off_topic_question_may_have_no_hits_and_is_answered(weir: Http) -> None:
    query = "quarterly revenue forecast"
    plain = weir.search(query).body["hits"]
    assert all(hit["legs"]["semantic"]["score"] < 0.5 for hit in plain)
    answer = weir.search(query, mode="semantic", min_score=0.5).body
    assert (answer["hits"], answer["next_cursor"], answer["degraded"]) == ([], None, [])


def test_reranked_hits_bear_the_rerankers_score_and_can_be_told_not_to(modelled: Http) -> None:
    modelled.put("half", {"text": "The heron."})
    modelled.put("whole", {"text": "By the weir nests a heron, said somebody who knew it well."})
    modelled.project()
    for asked in ("auto", True, None):
        answer = modelled.search("heron weir", rerank=asked, explain=True).body
        assert answer["score_kind"] == "rerank:simulated"
        assert answer["rerank"] == {"status": "ok", "model": "simulated"}
        assert [(hit["id"], hit["score"]) for hit in answer["hits"]] == [
            ("whole", 1.0),
            ("half", 0.0),
        ]
        assert [hit["explain"]["rerank"] for hit in answer["hits"]] == [1.0, 0.0]
        assert answer["usage"]["rerank_calls"] == 1
    least = modelled.search("heron weir", min_score=0.5).body
    assert [hit["id"] for hit in least["hits"]] == ["whole"]
    plain = modelled.search("heron weir", rerank=False).body
    assert plain["rerank"] == {"status": "off", "reason": "not_asked"}
    assert plain["score_kind"] == "weighted"
    modelled.search("heron", rerank=False, min_score=0.5).problem(422, "invalid-request")


@pytest.mark.parametrize(
    ("kind", "status", "reason"),
    [
        (FaultKind.OUTAGE, "failed", "reranker_unavailable"),
        (FaultKind.TIMEOUT, "timeout", "reranker_timeout"),
        (FaultKind.THROTTLED, "failed", "reranker_throttled"),
        (FaultKind.TOO_FEW, "failed", "reranker_error"),
        (FaultKind.NOT_FINITE, "failed", "reranker_error"),
        (FaultKind.UNKNOWN_INDEX, "failed", "reranker_error"),
    ],
)
def test_c13_a_reranker_that_fails_leaves_the_order_and_is_told(
    modelled: Http, kind: FaultKind, status: str, reason: str
) -> None:
    for n in range(3):
        modelled.put(f"r{n}", {"text": f"heron {n}"})
    modelled.project()
    plain = modelled.found("heron 1", rerank=False)
    modelled.search_parts.reranker.inject(Fault(kind=kind))
    answer = modelled.search("heron 1", min_score=0.99).body
    assert [hit["id"] for hit in answer["hits"]] == plain
    assert answer["rerank"] == {"status": status, "reason": reason}
    assert (answer["degraded"], answer["score_kind"]) == (["rerank"], "weighted")
    assert answer["warnings"] == [{"field": "min_score", "code": "ignored_without_reranker"}]
