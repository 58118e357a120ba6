import math
from typing import Any

import pytest

from api.conftest import Http
from palimpsest.adapters.simulated import Fault, FaultKind, Operation

ANIMALS = ("heron", "otter", "lynx", "badger", "falcon")


@pytest.fixture
def river(http: Http) -> Http:
    operations = [
        {
            "op": "put",
            "id": f"r{n:02}",
            "record": {
                "text": f"Note {n}: the {ANIMALS[n % 5]} by the river " + "river " * (n % 4)
            },
        }
        for n in range(20)
    ]
    http.commit({"operations": operations})
    http.project()
    return http


def test_a_hit_carries_the_whole_record_and_its_legs(http: Http) -> None:
    source = {"uri": "https://example.org/e", "title": "Wiki", "locator": "l. 4"}
    http.put(
        "x",
        {
            "text": "The espresso machine is repaired by Ivo.",
            "title": "Repairs",
            "kind": "fact",
            "metadata": {"team": "blue"},
            "event_time": "2026-03-01T10:00:00Z",
            "source": source,
        },
    )
    http.project()
    answer = http.search("who fixes the espresso machine?").body
    (hit,) = answer["hits"]
    assert {k: hit[k] for k in ("id", "namespace", "revision", "text", "title", "kind")} == {
        "id": "x",
        "namespace": "notes",
        "revision": 1,
        "text": "The espresso machine is repaired by Ivo.",
        "title": "Repairs",
        "kind": "fact",
    }
    assert (hit["metadata"], hit["source"], hit["document"]) == ({"team": "blue"}, source, None)
    assert (hit["event_time"], hit["truncated"]) == ("2026-03-01T10:00:00.000Z", False)
    assert hit["snippet"] == hit["text"]
    assert hit["legs"]["lexical"]["rank"] == hit["legs"]["semantic"]["rank"] == 1


def test_the_answer_names_score_legs_degradation_revisions_usage_and_times(river: Http) -> None:
    answer = river.search("heron river").body
    assert (answer["query"], answer["score_kind"], answer["degraded"]) == (
        "heron river",
        "weighted",
        [],
    )
    assert answer["revision"] == {"corpus": 1, "indexed": 1}
    assert answer["usage"]["embedding_calls"] == 1
    assert answer["deep"] == {
        "used": False,
        "variations": ["heron river"],
        "reason": "not_configured",
    }
    assert answer["rerank"] == {"status": "off", "reason": "not_configured"}
    for leg in ("lexical", "semantic"):
        assert answer["legs"][leg]["status"] == "ok"
    assert answer["timings_ms"].keys() == {"embed", "search", "hydrate", "total"}


@pytest.mark.parametrize(
    ("mode", "kind", "other"), [("lexical", "bm25", "semantic"), ("semantic", "cosine", "lexical")]
)
def test_one_leg_alone_shows_its_own_score_and_skips_the_other(
    river: Http, mode: str, kind: str, other: str
) -> None:
    plain = river.search("heron river", mode=mode).body
    assert plain["score_kind"] == kind
    assert plain["legs"][other]["status"] == "skipped"
    assert plain["degraded"] == []
    assert all(hit["score"] == hit["legs"][mode]["score"] for hit in plain["hits"])
    ignored = river.search("heron river", mode=mode, fusion={"method": "rrf", "lexical": 3}).body
    assert ignored["hits"] == plain["hits"]


def test_the_arithmetic_of_a_hit_is_told_on_request(river: Http) -> None:
    for hit in river.search("otter river", explain=True).body["hits"]:
        told = hit["explain"]
        assert math.isclose(sum(leg["contribution"] for leg in told["legs"].values()), hit["score"])
        assert told["fused"] == hit["score"]
    assert "explain" not in river.search("otter river").body["hits"][0]


def test_c1_the_answer_to_three_is_the_first_three_of_fifty(river: Http) -> None:
    for options in ({}, {"fusion": {"method": "rrf"}}, {"mode": "lexical"}, {"mode": "semantic"}):
        few = river.search("otter river", limit=3, **options).body["hits"]
        many = river.search("otter river", limit=50, **options).body["hits"]
        assert [(h["id"], h["score"]) for h in few] == [(h["id"], h["score"]) for h in many[:3]]


@pytest.mark.parametrize(
    "query", ["", "   ", "\n\t", "\u3000", None, 5, 0, True, [], {}, "\0", "\ud83d"]
)
def test_a13_a_query_that_asks_nothing_is_422(http: Http, query: Any) -> None:
    http.search(query).problem(422, "invalid-request")


def test_a13_a_missing_query_is_422(http: Http) -> None:
    problem = http.request("POST", "/search", body={}).problem(422, "invalid-request")
    assert any("query" in e["loc"] for e in problem["errors"])


@pytest.mark.parametrize("limit", [-1, 0, 101, 10**9, 1.5, "10", True, False, []])
def test_a14_a_limit_is_a_whole_number_from_1_to_100(http: Http, limit: Any) -> None:
    http.search("x", limit=limit).problem(422, "invalid-request")


@pytest.mark.parametrize("limit", [1, 100, None])
def test_a14_limits_within_the_range_are_served(river: Http, limit: int | None) -> None:
    assert len(river.found("river", limit=limit)) == min(limit or 10, 20)


@pytest.mark.parametrize(
    ("query", "fits"),
    [
        ("x" * 10_000, True),
        ("  " + "word " * 2000, True),
        ("語" * 3333, True),
        ("x" * 10_001, False),
        ("語" * 3334, False),
        ("y" * 600_000, False),
    ],
)
def test_a7_ten_thousand_bytes_of_query_are_served_and_one_more_is_refused(
    http: Http, query: str, *, fits: bool
) -> None:
    answer = http.search(query)
    if fits:
        assert answer.status == 200
    else:
        answer.problem(422, "invalid-request")


@pytest.mark.parametrize(
    "members",
    [
        {"mode": "fuzzy"},
        {"mode": 1},
        {"wait_ms": 5001},
        {"wait_ms": -1},
        {"timeout_ms": 49},
        {"timeout_ms": 25_001},
        {"timeout_ms": "5000"},
        {"min_revision": -1},
        {"min_revision": "5"},
        {"explain": "true"},
        {"offset": -1},
        {"top_k": 5},
        {"Query": "x"},
        {"fusion": {"method": "magic"}},
        {"fusion": {"lexical": -1}},
        {"fusion": {"lexical": 0, "semantic": 0}},
        {"fusion": {"method": "rrf", "extra": 1}},
        {"filter": []},
        {"filter": "kind"},
        {"time_range": []},
        {"time_range": {"from": "2026-01-01T00:00:00Z"}},
        {"time_range": {"start": "2026-02-01T00:00:00Z", "end": "2026-01-01T00:00:00Z"}},
        {"time_range": {"start": "2026-01-01T00:00:00"}},
        {"time_range": {"start": True}},
    ],
)
def test_options_outside_their_ranges_are_422_naming_them(
    http: Http, members: dict[str, Any]
) -> None:
    problem = http.search("x", **members).problem(422, "invalid-request")
    (name,) = members
    assert any(name in e["loc"] for e in problem["errors"])


@pytest.mark.parametrize(
    "members",
    [
        {"deep": "yes"},
        {"deep": 1},
        {"rerank": "on"},
        {"rerank": True},  # there is none here
        {"semantic": "sometimes"},
        {"fusion": {"method": "max"}},
        {"min_score": 0.5},  # no scale of its own
        {"min_score": "0.5", "mode": "semantic"},
        {"min_score": True, "mode": "semantic"},
        {"max_tokens": 0},
        {"max_tokens": 1.5},
        {"cursor": 5},
        {"cursor": ""},
    ],
)
def test_an_option_with_a_wrong_value_is_refused_by_name(
    http: Http, members: dict[str, Any]
) -> None:
    problem = http.search("x", **members).problem(422, "invalid-request")
    assert any(next(iter(members)) in e["loc"] for e in problem["errors"])


def test_h5_null_means_not_given_and_so_does_an_empty_filter(river: Http) -> None:
    names = ("filter", "time_range", "mode", "semantic", "deep", "fusion", "rerank", "min_score")
    more = (
        "max_tokens",
        "min_revision",
        "wait_ms",
        "timeout_ms",
        "explain",
        "cursor",
        "limit",
        "namespaces",
    )
    plain = river.found("heron")
    assert river.found("heron", **dict.fromkeys([*names, *more])) == plain
    assert river.found("heron", filter={}, time_range={"start": None, "end": None}) == plain
    assert river.found("heron", deep="auto", rerank="auto", semantic="always") == plain
    assert river.found("heron", deep=False, rerank=False) == plain


def test_several_errors_are_all_told_at_once(http: Http) -> None:
    problem = http.search(5, limit="x", mode="y", nonsense=1).problem(422, "invalid-request")
    told = str([e["loc"] for e in problem["errors"]])
    assert all(word in told for word in ("query", "limit", "mode", "nonsense"))


def test_c11_one_instant_written_three_ways_is_one_time_range(http: Http) -> None:
    for record_id, when in (
        ("z", "2026-01-01T00:00:00Z"),
        ("o", "2026-01-01T09:00:00+09:00"),
        ("m", 1767225600000),
    ):
        http.put(record_id, {"text": "probe", "event_time": when})
    http.project()
    for when in ("2026-01-01T00:00:00Z", "2025-12-31T17:00:00-07:00", 1767225600000):
        assert sorted(http.found("probe", time_range={"start": when, "end": when})) == [
            "m",
            "o",
            "z",
        ]
    assert http.found("probe", time_range={"start": 1767225600001}) == []


def test_c13_a_leg_that_falls_short_is_named_with_its_reason(river: Http) -> None:
    river.query_embedder.inject(Fault(kind=FaultKind.OUTAGE, operation=Operation.QUERY))
    answer = river.search("heron, never asked before").body
    assert answer["degraded"] == ["semantic"]
    assert answer["legs"]["semantic"]["status"] == "failed"
    assert answer["legs"]["semantic"]["reason"] == "embedder_unavailable"
    assert answer["hits"]
    problem = river.search("heron, nor this", mode="semantic")
    assert problem.problem(503, "unavailable")["stage"] == "search"
    assert int(problem.headers["retry-after"]) >= 1


def test_b4_a_question_gets_the_scores_that_it_gets_alone(river: Http) -> None:
    alone = {word: river.search(word, mode="semantic").body["hits"] for word in ANIMALS}
    for word in ANIMALS:
        assert river.search(word, mode="semantic").body["hits"] == alone[word]


def test_a_query_is_echoed_as_it_was_understood(river: Http) -> None:
    answer = river.search("  heron\0 river\ud83d ").body
    assert answer["query"] == "heron river"
    assert answer["warnings"] == [{"field": "query", "code": "broken_characters_removed"}]


def test_a1_a_question_of_signs_alone_has_no_hits_and_is_no_outage(river: Http) -> None:
    for query in ("\u200b", "\u200b \u200d"):
        answer = river.search(query).body
        assert (answer["hits"], answer["degraded"]) == ([], [])
        assert answer["legs"]["semantic"]["reason"] == "nothing_to_embed"
    for query in ("*", "~", '"', "AND", "[* TO *]", "!!!", "🙂", "field:"):
        for mode in ("hybrid", "lexical", "semantic"):
            assert river.search(query, mode=mode).status == 200


def test_a1_what_looks_like_query_syntax_is_found_as_plain_text(http: Http) -> None:
    texts = ["a/b", "foo)", '"unbalanced', "title:x", "C:\\repo\\main.py", "x AND (y", "wild*card?"]
    operations = [
        {"op": "put", "id": f"r{n}", "record": {"text": f"{text} entry"}}
        for n, text in enumerate(texts)
    ]
    http.commit({"operations": operations})
    http.project()
    for n, text in enumerate(texts):
        for mode in ("hybrid", "lexical"):
            assert f"r{n}" in http.found(text, mode=mode, limit=3)


def test_a5_fifteen_hundred_different_words_are_answered(http: Http) -> None:
    http.put("a", {"text": "The clavichord stands in the hall."})
    http.project()
    words = ["clavichord", *(f"w{n:x}" for n in range(1500))]
    assert http.found(" ".join(words), mode="lexical") == ["a"]
    assert http.search(" ".join(words)).status == 200


def test_a8_a_text_beyond_the_models_limit_is_whole_and_found_by_its_last_word(http: Http) -> None:
    text = "lorem ipsum dolor sit amet " * 3_000 + " aardwolf"
    http.put("long", {"text": text})
    http.project()
    assert http.found("aardwolf", mode="lexical") == ["long"]
    assert http.get("long").body["text"] == text
