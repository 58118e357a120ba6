"""Who may be found: the part of the search index's contract about partitions, filters and time."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from contract.index_entries import (
    HOUR,
    NOW,
    by_vector,
    by_words,
    entry,
    ids,
    tombstone,
    vector,
)
from palimpsest.domain.filters import And, OneOf, TimeRange
from palimpsest.domain.records import Source
from palimpsest.ports import SearchIndex


class CandidatesContract:
    """Who is a candidate: partition, filter, time."""

    @pytest.mark.parametrize("name", ["my-group", "a:b", "ap_erp.1", "u@x", "-", "A", "1.0"])
    def test_partitions_with_the_same_ids_never_meet(self, index: SearchIndex, name: str) -> None:
        mine, yours = f"acme#{name}", f"other#{name}"
        near = f"acme#{name}x"
        for partition in (mine, yours, near):
            text = f"a secret of {partition[0:3]}"
            index.write([entry("same", text, partition=partition, vector=vector(1, 0, 0))])
        index.write([tombstone("same", 2, yours)])
        assert ids(index, by_words("secret", partitions=(mine,))) == ["same"]
        assert ids(index, by_words("secret", partitions=(yours,))) == []
        assert ids(index, by_vector(1, 0, 0, partitions=(yours,))) == []
        assert ids(index, by_words(f"{yours} oth", partitions=(mine,))) == []
        assert [state.tombstone for state in index.walk(yours)] == [True]

    @pytest.mark.parametrize(
        ("field", "values", "found"),
        [
            ("kind", ("fact",), "ab"),
            ("kind", ("fact", "note"), "abc"),
            ("kind", ("FACT",), ""),
            ("tags", ("red",), "ac"),
            ("tags", ("re",), ""),
            ("aliases", ("Al",), "b"),
            ("entities", ("Zoë",), "c"),
            ("subject", ("Ann",), "a"),
            ("predicate", ("likes",), "a"),
            ("location", ("Rome",), "b"),
            ("id", ("c", "nobody"), "c"),
            ("importance", (0.5,), "bc"),
            ("importance", (1,), "a"),
            ("event_time", (NOW,), "a"),
            ("updated_at", (NOW,), "abc"),
            ("source.uri", ("s3://b/k",), "b"),
            ("document.id", ("doc_1",), ""),
            ("metadata.n", (5,), "ab"),
            ("metadata.n", (5.0,), "ab"),
            ("metadata.n", ("5",), "c"),
            ("metadata.n", (True,), ""),
            ("metadata.flag", (True,), "a"),
            ("metadata.flag", (1,), "b"),
            ("metadata.list", ("y",), "a"),
            ("metadata.a.b \"c' %_", ("odd",), "c"),
            ("metadata.nobody", ("x",), ""),
            ("tags", ('x" || user_id != "y', "*", "?", '{"$ne": null}', "' OR 1=1 --"), ""),
        ],
    )
    def test_a_filter_is_part_of_the_question(
        self, index: SearchIndex, field: str, values: tuple[Any, ...], found: str
    ) -> None:
        up = vector(1, 0, 0)
        index.write([
            entry("a", "word", vector=up, kind="fact", tags=("red", "blue"), subject="Ann",
                  predicate="likes", importance=1.0, event_time=NOW,
                  metadata={"n": 5, "flag": True, "list": ("x", "y")}),
            entry("b", "word", vector=up, kind="fact", aliases=("Al",), location="Rome",
                  source=Source(uri="s3://b/k"), metadata={"n": 5.0, "flag": 1}),
            entry("c", "word", vector=up, kind="note", tags=("red",), entities=("Zoë",),
                  metadata={"n": "5", 'a.b "c\' %_': "odd"}),
        ])  # fmt: skip
        wanted = OneOf(field, values)
        assert "".join(sorted(ids(index, by_words("word", filter=wanted)))) == found
        assert "".join(ids(index, by_vector(1, 0, 0, filter=wanted))) == found

    def test_all_conditions_of_a_filter_must_hold(self, index: SearchIndex) -> None:
        index.write([entry("a", "word", kind="fact", tags=("x",)), entry("b", "word", kind="fact")])
        both = And((OneOf("kind", ("fact",)), OneOf("tags", ("x",))))
        assert ids(index, by_words("word", filter=both)) == ["a"]

    def test_a_changed_record_is_filtered_by_what_it_says_now(self, index: SearchIndex) -> None:
        index.write([entry("a", "word", 1, tags=("old",))])
        index.write([entry("a", "word", 2, tags=("new",))])
        for tag, found in (("old", []), ("new", ["a"])):
            assert ids(index, by_words("word", filter=OneOf("tags", (tag,)))) == found

    def test_an_old_match_behind_many_others_is_found_by_filter_and_time(
        self, index: SearchIndex
    ) -> None:
        crowd = [
            entry(f"n{i:03}", "word word word", vector=vector(1, 0.001 * i, 0), event_time=NOW)
            for i in range(150)
        ]
        old = entry("old", "a word among many others that are not it", kind="fact",
                    vector=vector(-1, 0, 0.1), event_time=NOW - 1000 * HOUR)  # fmt: skip
        index.write([*crowd, old])
        kind = OneOf("kind", ("fact",))
        narrow = TimeRange(NOW - 1001 * HOUR, NOW - 999 * HOUR)
        for limits in ({"filter": kind}, {"time_range": narrow}):
            assert ids(index, by_words("word", depth=10, **limits)) == ["old"]
            assert ids(index, by_vector(1, 0, 0, depth=10, **limits)) == ["old"]

    @pytest.mark.parametrize(
        ("start", "end", "found"),
        [
            (NOW, NOW, "b"),
            (None, NOW, "1ab"),
            (NOW, None, "b9"),
            (NOW - HOUR, NOW - HOUR, "a"),
            (datetime(1, 1, 1, tzinfo=UTC), datetime(1, 1, 1, tzinfo=UTC), "1"),
            (datetime(9999, 12, 31, tzinfo=UTC), None, "9"),
            (NOW + timedelta(milliseconds=1), NOW + HOUR, ""),
            (None, None, "1ab9"),
        ],
    )
    def test_a_time_range_holds_both_its_ends_and_no_record_without_an_event(
        self, index: SearchIndex, start: datetime | None, end: datetime | None, found: str
    ) -> None:
        times = {
            "1": datetime(1, 1, 1, tzinfo=UTC),
            "a": NOW - HOUR,
            "b": NOW,
            "9": datetime(9999, 12, 31, 23, 59, 59, 999000, tzinfo=UTC),
            "none": None,
        }
        up = vector(1, 0, 0)
        index.write([entry(name, "word", vector=up, event_time=t) for name, t in times.items()])
        limits = {"time_range": TimeRange(start, end)}
        assert set(ids(index, by_words("word", **limits))) == set(found)
        assert set(ids(index, by_vector(1, 0, 0, **limits))) == set(found)

    def test_only_what_is_valid_and_unexpired_now_is_found(self, index: SearchIndex) -> None:
        up, tick = vector(1, 0, 0), timedelta(milliseconds=1)
        index.write([
            entry("starts now", "word", vector=up, valid_from=NOW),
            entry("starts later", "word", vector=up, valid_from=NOW + tick),
            entry("ends now", "word", vector=up, valid_to=NOW),
            entry("ends later", "word", vector=up, valid_to=NOW + tick),
            entry("expires now", "word", vector=up, expires_at=NOW),
            entry("expires later", "word", vector=up, expires_at=NOW + tick),
        ])  # fmt: skip
        valid = {"starts now", "ends later", "expires later"}
        assert set(ids(index, by_words("word"))) == set(ids(index, by_vector(1, 0, 0))) == valid
