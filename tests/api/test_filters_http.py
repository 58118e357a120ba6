from typing import Any

import pytest

from api.conftest import Http

QUOTED = ['x" || user_id != "y', "*", "?", '{"$ne": null}', "' OR '1'='1", "a%", "${jndi:x}"]


def test_every_operator_filters_in_every_mode(http: Http) -> None:
    rows: dict[str, dict[str, Any]] = {
        "a": {
            "kind": "fact",
            "tags": ["red", "blue"],
            "importance": 0.1,
            "subject": "Ann",
            "event_time": "2026-01-01T00:00:00Z",
            "source": {"uri": "https://example.org/a"},
            "metadata": {
                "team": "blue",
                "n": 5,
                "flag": True,
                "list": ["p", "q"],
                "dotted.key": "d",
            },
        },
        "b": {
            "kind": "task",
            "tags": ["red"],
            "metadata": {"team": "green", "n": 7.5, "flag": False},
        },
        "c": {"kind": "fact", "metadata": {"team": "blue", "n": "5"}},
    }
    for record_id, fields in rows.items():
        http.put(record_id, {"text": "probe", **fields})
    http.project()
    wanted: list[tuple[dict[str, Any], str]] = [
        ({"kind": "fact"}, "ac"),
        ({"kind": {"eq": "fact"}}, "ac"),
        ({"tags": "red"}, "ab"),
        ({"tags": {"in": ["blue", "x"]}}, "a"),
        ({"kind": {"in": ["task", "none"]}}, "b"),
        ({"kind": {"in": ["fact", "task"], "eq": "task"}}, "b"),
        ({"importance": 0.1}, "a"),
        ({"id": {"in": ["a", "c"]}}, "ac"),
        ({"source.uri": "https://example.org/a"}, "a"),
        ({"event_time": "2026-01-01T09:00:00+09:00"}, "a"),
        ({"event_time": 1767225600000}, "a"),
        ({"metadata.team": "blue"}, "ac"),
        ({"metadata.n": 5}, "a"),
        ({"metadata.n": "5"}, "c"),
        ({"metadata.flag": True}, "a"),
        ({"metadata.flag": 1}, ""),
        ({"metadata.list": "q"}, "a"),
        ({"metadata.dotted.key": "d"}, "a"),
        ({"metadata.nobody": "x"}, ""),
        ({"kind": "fact", "tags": "red"}, "a"),
        ({"kind": 'x" || tenant != "y'}, ""),
        ({"kind": {"ne": "fact"}}, "b"),
        ({"tags": {"nin": ["blue"]}}, "bc"),
        ({"importance": {"gt": 0.1}}, "bc"),
        ({"importance": {"gte": 0.1, "lt": 0.5}}, "a"),
        ({"event_time": {"lte": "2026-01-01T01:00:00+01:00"}}, "a"),
        ({"created_at": {"gt": 0}}, "abc"),
        ({"updated_at": {"lt": "2000-01-01T00:00:00Z"}}, ""),
        ({"metadata.n": {"gt": 4}}, "ab"),
        ({"metadata.n": {"gt": "4"}}, "c"),
        ({"metadata.list": {"prefix": "q"}}, "a"),
        ({"source.uri": {"prefix": "https://"}}, "a"),
        ({"kind": {"prefix": "f*"}}, ""),
        ({"subject": {"exists": True}}, "a"),
        ({"subject": {"exists": False}}, "bc"),
        ({"tags": {"exists": False}}, "c"),
        ({"or": [{"subject": "Ann"}, {"metadata.team": "green"}]}, "ab"),
        ({"and": [{"kind": "fact"}, {"not": {"tags": "red"}}]}, "c"),
        ({"kind": "fact", "or": [{"tags": "red"}, {"kind": "task"}], "not": {"id": "c"}}, "a"),
        ({"not": {"metadata.nobody": "x"}}, "abc"),
    ]
    for mode in ("hybrid", "lexical", "semantic"):
        for asked, ids in wanted:
            assert "".join(sorted(http.found("probe", filter=asked, mode=mode))) == ids, asked


@pytest.mark.parametrize(
    "asked",
    [
        {"colour": "red"},
        {"Kind": "fact"},
        {"tenant": "x"},
        {"text": "x"},
        {"metadata": {"team": "blue"}},
        {"metadata.": "x"},
        {"kind": {"like": "x"}},
        {"kind": {"$ne": "x"}},
        {"kind": {"in": "fact"}},
        {"kind": {"in": []}},
        {"kind": None},
        {"kind": {}},
        {"kind": 5},
        {"kind": True},
        {"kind": "\ud83d"},
        {"importance": "high"},
        {"importance": True},
        {"event_time": "today"},
        {"tags": {"in": [1]}},
        {"metadata.team": None},
        {"metadata.team": {"x": {"y": 1}}},
        {"metadata.team": ["x"]},
        {"metadata.team": {"gt": True}},
        {"metadata.\ud83d": "x"},
        {"kind": {"ne": None}},
        {"kind": {"nin": []}},
        {"kind": {"gt": "a"}},
        {"kind": {"exists": 1}},
        {"kind": {"prefix": "x" * 1025}},
        {"importance": {"prefix": "0"}},
        {"event_time": {"gt": "2026-01-01T00:00:00"}},
        {"not": {}},
        {"not": None},
        {"and": []},
        {"and": [{}]},
        {"or": [None]},
        {"or": {"kind": "x"}},
        {"not": {"not": {"not": {"not": {"not": {"kind": "x"}}}}}},
        {"or": [{"kind": f"k{n}"} for n in range(51)]},
        {"kind": {"in": [f"k{n}" for n in range(1001)]}},
    ],
)
def test_a_filter_that_cannot_be_meant_is_422_never_no_hits(http: Http, asked: Any) -> None:
    http.search("probe", filter=asked).problem(422, "invalid-request")


@pytest.mark.parametrize("asked", [{"kind": {"$ne": None}}, {"colour": "red"}, {"kind": {}}])
def test_a_refusal_names_the_field(http: Http, asked: dict[str, Any]) -> None:
    (error,) = http.search("probe", filter=asked).problem(422, "invalid-request")["errors"]
    (field,) = asked
    assert error["loc"] == ["body", "filter"]
    assert field in error["msg"]


def test_filters_at_their_limits_are_served(http: Http) -> None:
    http.put("a", {"text": "probe", "kind": "k49", "metadata": {"k": "x" * 1024}})
    http.project()
    deepest = {"not": {"not": {"not": {"not": {"kind": "k49"}}}}}
    assert http.found("probe", filter=deepest) == ["a"]
    assert http.found("probe", filter={"or": [{"kind": f"k{n}"} for n in range(50)]}) == ["a"]
    assert http.found("probe", filter={"kind": {"in": [f"k{n}" for n in range(1000)]}}) == ["a"]
    assert http.found("probe", filter={"metadata.k": {"prefix": "x" * 1024}}) == ["a"]


@pytest.mark.parametrize("text", QUOTED)
def test_e1_what_looks_like_a_query_matches_literally_and_nobody_elses_record(
    http: Http, text: str
) -> None:
    http.put("mine", {"text": "probe", "kind": text, "tags": [text], "metadata": {text: text}})
    http.put("other", {"text": "probe", "kind": "y", "tags": ["y"], "metadata": {"k": "y"}})
    http.put("elsewhere", {"text": "probe", "kind": text}, ns="others")
    http.project()
    http.project("others")
    wanted: list[dict[str, Any]] = [
        {"kind": text},
        {"kind": {"prefix": text}},
        {"tags": {"in": [text]}},
        {f"metadata.{text}": text},
        {f"metadata.{text}": {"exists": True}},
        {"not": {"kind": "y"}},
    ]
    for asked in wanted:
        assert http.found("probe", filter=asked) == ["mine"], asked
    assert http.found("probe", filter={"id": text}) == []
    assert http.found("probe", filter={"kind": {"ne": text}}) == ["other"]
    http.search("probe", filter={text: "x"}).problem(422, "invalid-request")


def test_c10_an_old_match_behind_a_hundred_newer_records_is_found(http: Http) -> None:
    http.put("old", {"text": "probe of long ago", "kind": "fact"})
    for start in range(0, 125, 25):
        operations = [
            {"op": "put", "id": f"n{start + n}", "record": {"text": "probe probe", "kind": "note"}}
            for n in range(25)
        ]
        http.commit({"operations": operations})
    http.project()
    wanted: list[dict[str, Any]] = [
        {"kind": {"ne": "note"}},
        {"not": {"kind": "note"}},
        {"kind": {"prefix": "f"}},
        {"created_at": {"gt": 0}, "or": [{"kind": "fact"}, {"subject": {"exists": True}}]},
    ]
    for mode in ("hybrid", "lexical", "semantic"):
        for asked in wanted:
            assert http.found("probe", filter=asked, mode=mode, limit=3) == ["old"], asked


def test_c11_one_instant_written_three_ways_is_one_bound(http: Http) -> None:
    http.put("a", {"text": "probe", "event_time": "2025-12-31T23:59:59.999Z"})
    http.put("b", {"text": "probe", "event_time": "2026-01-01T00:00:00Z"})
    http.project()
    spellings: list[Any] = ["2026-01-01T00:00:00Z", "2026-01-01T09:00:00+09:00", 1767225600000]
    for when in spellings:
        assert http.found("probe", filter={"event_time": {"gte": when}}) == ["b"]
        assert http.found("probe", filter={"event_time": {"lt": when}}) == ["a"]
        assert http.found("probe", filter={"event_time": {"ne": when}}) == ["a"]


def test_a_changed_record_is_filtered_as_it_is_now(http: Http) -> None:
    http.put("a", {"text": "probe", "kind": "draft", "importance": 0.2})
    http.project()
    http.put("a", {"text": "probe", "kind": "final", "importance": 0.9})
    for asked in ({"kind": {"ne": "final"}}, {"importance": {"lt": 0.5}}):
        assert http.found("probe", filter=asked) == []


def test_g10_five_hundred_metadata_keys_each_filter(http: Http) -> None:
    operations = [
        {
            "op": "put",
            "id": f"r{n}",
            "record": {"text": f"note {n}", "metadata": {f"key{n}_{i}": i for i in range(25)}},
        }
        for n in range(20)
    ]
    http.commit({"operations": operations})
    http.project()
    for n in range(20):
        every = {f"metadata.key{n}_{i}": {"gte": i} for i in range(25)}
        assert http.found("note", filter=every) == [f"r{n}"]
        wrong = {"or": [{name: {"gt": i}} for i, name in enumerate(every)]}
        assert http.found("note", filter=wrong) == []


def test_h5_an_empty_filter_is_none(http: Http) -> None:
    http.put("a", {"text": "probe"})
    http.project()
    assert http.found("probe", filter={}) == http.found("probe", filter=None) == ["a"]
