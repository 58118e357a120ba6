"""A search index as a whole: the part of its contract about the ids that pass a filter."""

from typing import Any

import pytest

from contract.index_entries import HOUR, NOW, PARTITION, entry, tombstone, vector
from contract.search_index_filters import QUOTED
from palimpsest.domain.entries import Entry
from palimpsest.domain.filters import And, Compare, Exists, Filter, Not, OneOf, Or, Prefix, Relation
from palimpsest.domain.records import Source
from palimpsest.ports import SearchIndex

EVERYTHING = And(())
URI = "s3://bucket/a key"
URIS = [
    *QUOTED,
    URI,
    URI.upper(),
    f"{URI}/",
    f" {URI}",
    f"{URI}*",
    f'{URI}" OR "1"="1',
    f"{URI},1,2",
    "https://例え.jp/成語",
    "é",
    "e\u0301",
    "\ud7ff\ue000\uffff",
    "\U0001f600",
    "x" * 1_023,
    "x" * 1_024,
    "x" * 1_023 + "y",
    "é" * 512,
]
"""Each is another one, whatever a query language would make of it."""

IDS = ["10", "9", "A", "a", "a b", "aa", "b", "é", "\ud7ff", "\ue000", "\uffff", "\U0001f600"]
"""In the order of their code points."""


def at(uri: str | None) -> Filter:
    """What has that source."""
    return OneOf("source.uri", (uri,)) if uri is not None else Not(Exists("source.uri"))


def found(index: SearchIndex, where: Filter, *, limit: int = 100, **options: Any) -> list[str]:
    return index.matching(options.pop("partition", PARTITION), where, limit=limit, **options)


def pages(index: SearchIndex, where: Filter, *, limit: int) -> list[list[str]]:
    """All of them, until one is empty, which is not among them."""
    told: list[list[str]] = []
    while page := found(index, where, limit=limit, after=told[-1][-1] if told else ""):
        told.append(page)
    return told


def sourced(entry_id: str, uri: str | None, revision: int = 1, **options: Any) -> Entry:
    source = None if uri is None else Source(uri=uri)
    return entry(entry_id, "word", revision, source=source, **options)


class MatchingContract:
    """Which there are, and in which order and number they are told."""

    def test_a_source_is_found_by_its_uri_and_by_nothing_else_that_says_it(
        self, index: SearchIndex
    ) -> None:
        index.write([
            sourced("a", URI),
            sourced("b", URI, vector=vector(1, 0, 0)),
            sourced("c", f"{URI}2"),
            sourced("d", None),
            entry("e", URI, title=URI, location=URI, tags=(URI,), metadata={"uri": URI}),
            entry("f", "word", metadata={"source.uri": URI}),
            entry("g", "word", source=Source(title=URI)),
            entry(URI, "word"),
        ])  # fmt: skip
        assert found(index, at(URI)) == ["a", "b"]
        assert found(index, at(None)) == ["d", "e", "f", "g", URI]
        assert found(index, at("")) == []

    def test_every_uri_is_compared_as_it_stands(self, index: SearchIndex) -> None:
        index.write([sourced(f"n{n:02}", uri) for n, uri in enumerate(URIS)])
        for n, uri in enumerate(URIS):
            assert found(index, at(uri)) == [f"n{n:02}"]

    def test_neither_validity_nor_expiry_is_asked_for(self, index: SearchIndex) -> None:
        index.write([
            sourced("ended", URI, valid_to=NOW - HOUR),
            sourced("expired", URI, expires_at=NOW - HOUR),
            sourced("long ago", URI, valid_from=NOW - 9_000 * HOUR, expires_at=NOW - 8_999 * HOUR),
            sourced("now", URI),
            sourced("starts later", URI, valid_from=NOW + 9_000 * HOUR),
        ])  # fmt: skip
        every = ["ended", "expired", "long ago", "now", "starts later"]
        assert found(index, at(URI)) == found(index, EVERYTHING) == every

    def test_a_tombstone_passes_no_filter(self, index: SearchIndex) -> None:
        wheres = [at(URI), EVERYTHING, Exists("id"), Not(Exists("kind")), Not(Exists("id"))]
        index.write([sourced("a", URI), sourced("b", URI), tombstone("c", 1)])
        assert [found(index, one) for one in wheres] == [*[["a", "b"]] * 4, []]
        index.write([tombstone("a", 2)])
        assert [found(index, one) for one in wheres] == [*[["b"]] * 4, []]
        index.write([sourced("a", URI, 3), tombstone("b", 2)])
        assert [found(index, one) for one in wheres] == [*[["a"]] * 4, []]

    def test_c7_another_partition_is_never_among_them(self, index: SearchIndex) -> None:
        names = ["acme#note", "acme#notes2", "other#notes", "acme#*"]
        index.write([sourced(name, URI, partition=name) for name in names])
        index.write([sourced("same", URI, partition=name) for name in (PARTITION, *names)])
        for where in (at(URI), EVERYTHING, Not(Exists("kind"))):
            assert found(index, where) == ["same"]
            for name in names:
                assert found(index, where, partition=name) == sorted([name, "same"])

    def test_in_a_partition_that_was_never_used_nothing_passes(self, index: SearchIndex) -> None:
        assert found(index, EVERYTHING) == []
        index.write([sourced("a", URI)])
        for where in (at(URI), EVERYTHING, Not(at(URI))):
            assert found(index, where, partition="acme#nowhere") == []

    def test_they_are_told_by_id_after_one_and_up_to_a_limit(self, index: SearchIndex) -> None:
        index.write([sourced(one, URI) for one in reversed(IDS)])
        index.write([sourced(f"{one}~", "another") for one in IDS])
        for limit in (0, 1, len(IDS) - 1, len(IDS), len(IDS) + 1):
            assert found(index, at(URI), limit=limit) == IDS[:limit]
        for after in ["", *IDS, "0", "a~", "ab", "~", "\U0010ffff"]:
            later = [one for one in IDS if one > after]
            assert found(index, at(URI), after=after) == later
            assert found(index, at(URI), after=after, limit=2) == later[:2]

    @pytest.mark.parametrize("size", [7, 1_300])
    def test_pages_have_all_of_them_and_none_twice(self, index: SearchIndex, size: int) -> None:
        names = [f"n{n:04}" for n in range(size)]
        index.write([sourced(one, URI if one[-1] in "02468" else None) for one in names])
        index.write([tombstone("n0002", 2)])
        left = [one for one in names if one != "n0002"]
        for where, every in (
            (at(URI), [one for one in left if one[-1] in "02468"]),
            (Exists("id"), left),
            (Not(at("nobody's")), left),
        ):
            for limit in (size // 3, len(every) - 1, len(every), len(every) + 1, 20_000):
                told = pages(index, where, limit=limit)
                assert [one for page in told for one in page] == every
                assert {len(page) for page in told[:-1]} <= {limit}
                assert len(told[-1]) <= limit

    def test_a_replaced_record_is_found_by_what_it_says_now(self, index: SearchIndex) -> None:
        index.write([sourced("a", "old", 1)])
        assert (found(index, at("old")), found(index, at("new"))) == (["a"], [])
        index.write([sourced("a", "new", 2)])
        assert (found(index, at("old")), found(index, at("new"))) == ([], ["a"])
        index.write([sourced("a", "old", 1)])
        assert (found(index, at("old")), found(index, at("new"))) == ([], ["a"])
        index.write([sourced("a", None, 3)])
        assert (found(index, at("new")), found(index, at(None))) == ([], ["a"])

    def test_what_was_written_unseen_is_found_from_the_refresh_on(self, index: SearchIndex) -> None:
        index.write([sourced("a", URI)], visible=False)
        index.refresh()
        assert found(index, at(URI)) == ["a"]

    @pytest.mark.parametrize(
        ("where", "told"),
        [
            (OneOf("metadata.n", (5,)), "a"),
            (OneOf("metadata.n", ("5", 6)), "bc"),
            (OneOf("metadata.flag", (True,)), "a"),
            (OneOf("source.uri", ("u", "v", "w")), "abc"),
            (OneOf("tags", ("blue", "green")), "ac"),
            (Compare("metadata.n", Relation.GT, 5), "b"),
            (Compare("event_time", Relation.LT, NOW), "b"),
            (Prefix("source.uri", "u"), "a"),
            (Prefix("source.uri", "u*"), ""),
            (Exists("metadata.flag"), "ab"),
            (And((at("u"), OneOf("metadata.n", (5,)))), "a"),
            (And((at("u"), OneOf("metadata.n", (6,)))), ""),
            (Or((at("u"), OneOf("metadata.n", (6,)))), "ab"),
            (Or(()), ""),
            (Not(at("u")), "bcd"),
            (And((Exists("source.uri"), Not(OneOf("tags", ("blue",))))), "bc"),
            (Not(And((Not(at("u")), Not(at("v"))))), "ab"),
        ],
    )
    def test_every_filter_may_be_asked(self, index: SearchIndex, where: Filter, told: str) -> None:
        index.write([
            sourced("a", "u", tags=("red", "blue"), event_time=NOW,
                    metadata={"n": 5, "flag": True}),
            sourced("b", "v", tags=("red",), event_time=NOW - HOUR, metadata={"n": 6, "flag": 1}),
            sourced("c", "w", tags=("green",), metadata={"n": "5"}),
            sourced("d", None),
            sourced("e", "u", tags=("blue",), metadata={"n": 5}, partition="acme#elsewhere"),
        ])  # fmt: skip
        assert "".join(found(index, where)) == told

    def test_halves_of_surrogate_pairs_equal_nothing_and_spoil_nothing(
        self, index: SearchIndex
    ) -> None:
        index.write([sourced("a", "u"), sourced("b", "\U0001f600"), sourced("c", None)])
        halves = ("\ud83d", "\ude00", "u\ud800", "\ude00\ud83d")
        assert found(index, OneOf("source.uri", halves)) == []
        assert found(index, OneOf("source.uri", (*halves, "u", *halves))) == ["a"]
        assert found(index, Not(OneOf("source.uri", halves))) == ["a", "b", "c"]
        assert found(index, Prefix("source.uri", "\ud83d")) == []
        assert found(index, Exists("metadata.\ud83d")) == []
        assert found(index, Compare("source.uri", Relation.GT, "u\udfff")) == ["b"]
