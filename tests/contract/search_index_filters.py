"""What filters find: the part of the search index's contract about operators and their sets."""

from typing import Any

import pytest

from contract.index_entries import HOUR, NOW, by_vector, by_words, entry, ids, tombstone, vector
from palimpsest.domain.filters import (
    And,
    Compare,
    Exists,
    Filter,
    Not,
    OneOf,
    Or,
    Prefix,
    Relation,
)
from palimpsest.domain.records import Source
from palimpsest.ports import SearchIndex

GT, GTE, LT, LTE = Relation.GT, Relation.GTE, Relation.LT, Relation.LTE
BIG = 2**63
QUOTED = ['x" || user_id != "y', "*", "?", '{"$ne": null}', "' OR 1=1 --", "a%", "_", "\\"]


def both_legs(index: SearchIndex, wanted: Filter) -> str:
    """The ids that a filter lets through, which must be the same on both legs."""
    lexical = sorted(ids(index, by_words("word", filter=wanted)))
    assert sorted(ids(index, by_vector(1, 0, 0, filter=wanted))) == lexical
    return "".join(lexical)


class FiltersContract:
    """Operators, and what they do to what is not there."""

    @pytest.mark.parametrize(
        ("wanted", "found"),
        [
            (Compare("importance", GT, 0.5), "a"),
            (Compare("importance", GTE, 0.5), "abcd"),
            (Compare("importance", LT, 1), "bcd"),
            (Compare("event_time", LT, NOW), "b"),
            (Compare("event_time", LTE, NOW), "ab"),
            (Compare("created_at", GT, NOW), ""),
            (Compare("updated_at", GTE, NOW), "abcd"),
            (Compare("metadata.n", GT, 4), "abd"),
            (Compare("metadata.n", GT, BIG), "d"),
            (Compare("metadata.n", GTE, float(BIG)), "bd"),
            (Compare("metadata.n", LT, float(BIG)), "a"),
            (Compare("metadata.n", GT, "4"), "c"),
            (Compare("metadata.n", GT, True), ""),
            (Compare("metadata.list", GTE, "y"), "a"),
            (Prefix("kind", "fa"), "ab"),
            (Prefix("kind", "FA"), ""),
            (Prefix("kind", "%"), ""),
            (Prefix("kind", "fact*"), ""),
            (Prefix("tags", "bl"), "a"),
            (Prefix("tags", ""), "ac"),
            (Prefix("metadata.n", ""), "c"),
            (Prefix("id", "b"), "b"),
            (Prefix("source.uri", "s3://"), "b"),
            (Exists("source.uri"), "b"),
            (Exists("tags"), "ac"),
            (Exists("metadata.flag"), "ab"),
            (Exists("metadata.nobody"), ""),
            (Exists("id"), "abcd"),
            (Not(OneOf("kind", ("fact",))), "cd"),
            (Not(OneOf("tags", ("red", "none"))), "bd"),
            (Not(Compare("metadata.n", GT, 4)), "c"),
            (Not(Prefix("kind", "")), "d"),
            (Not(Exists("metadata.nobody")), "abcd"),
            (Not(Not(OneOf("kind", ("fact",)))), "ab"),
            (And((OneOf("kind", ("fact",)), Exists("tags"))), "a"),
            (Or((OneOf("kind", ("note",)), Exists("source.uri"))), "bc"),
            (And((Not(Exists("kind")), Or((Exists("id"), Exists("tags"))))), "d"),
            (And(()), "abcd"),
            (Or(()), ""),
        ],
    )
    def test_every_operator_is_part_of_the_question(
        self, index: SearchIndex, wanted: Filter, found: str
    ) -> None:
        up = vector(1, 0, 0)
        index.write([
            entry("a", "word", vector=up, kind="fact", tags=("red", "blue"), importance=1.0,
                  event_time=NOW, metadata={"n": 5, "flag": True, "list": ("x", "y")}),
            entry("b", "word", vector=up, kind="fact", source=Source(uri="s3://b/k"),
                  event_time=NOW - HOUR, metadata={"n": BIG, "flag": 1}),
            entry("c", "word", vector=up, kind="note", tags=("red",), metadata={"n": "5"}),
            entry("d", "word", vector=up, metadata={"n": BIG + 1}),
            entry("e", "word", vector=up, kind="fact", partition="acme#elsewhere"),
            entry("f", "word", 1, vector=up, kind="fact"),
            tombstone("f", 2),
        ])  # fmt: skip
        assert both_legs(index, wanted) == found

    @pytest.mark.parametrize("text", QUOTED)
    def test_e1_what_looks_like_a_query_is_compared_as_it_stands(
        self, index: SearchIndex, text: str
    ) -> None:
        up = vector(1, 0, 0)
        index.write([
            entry("a", "word", vector=up, tags=(text,), metadata={text: text}),
            entry("b", "word", vector=up, tags=("y",), metadata={"k": "y"}),
        ])  # fmt: skip
        for wanted in (
            OneOf("tags", (text,)),
            Prefix("tags", text),
            OneOf(f"metadata.{text}", (text,)),
            Exists(f"metadata.{text}"),
            Not(Exists("metadata.k")),
        ):
            assert both_legs(index, wanted) == "a"
        assert both_legs(index, Not(OneOf("tags", (text,)))) == "b"

    def test_two_legs_may_be_asked_with_filters_that_python_holds_equal(
        self, index: SearchIndex
    ) -> None:
        up = vector(1, 0, 0)
        index.write([
            entry("a", "word", vector=up, metadata={"k": True}),
            entry("b", "word", vector=up, metadata={"k": 1}),
        ])  # fmt: skip
        values: list[Any] = [True, 1]
        queries = [by_words("word", filter=OneOf("metadata.k", (value,))) for value in values]
        found = [[c.id for c in leg.candidates] for leg in index.search(queries, timeout=10)]
        assert found == [["a"], ["b"]]

    def test_g10_each_of_five_hundred_metadata_keys_filters(self, index: SearchIndex) -> None:
        up = vector(1, 0, 0)
        index.write([
            entry(f"n{n:02}", "word", vector=up,
                  metadata={f"key {n}.{i}": i for i in range(50)})
            for n in range(10)
        ])  # fmt: skip
        for n in range(10):
            for i in range(50):
                assert both_legs(index, OneOf(f"metadata.key {n}.{i}", (i,))) == f"n{n:02}"
