"""Filters in the indexes: what `passes` says is what both legs of every adapter find."""

import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from contract.index_entries import FINGERPRINT, NOW, PARTITION, by_vector, by_words, ids
from contract.index_strategies import WORDS, contents, record, scalar_values, vectors, written
from palimpsest.adapters.memory import MemoryIndex
from palimpsest.adapters.sqlite import SqliteIndex
from palimpsest.domain.clean import is_broken
from palimpsest.domain.filters import (
    FIXED_FIELDS,
    And,
    Compare,
    Exists,
    Filter,
    Not,
    OneOf,
    Or,
    Prefix,
    Relation,
    passes,
)
from palimpsest.domain.records import Content
from palimpsest.ports import SearchIndex

asked_strings = st.text(st.sampled_from("ax\ud7ff\ud800\udfff\ue000\uffff\U0010ffff"), max_size=3)
asked_values = st.one_of(
    asked_strings,
    scalar_values,
    st.sampled_from([NOW, datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC)]),
    st.sampled_from(["n0", "fact", "fa", "u", 0.5, "x\ud800", "\ud800", "x\udfff"]),
    st.sampled_from(WORDS),
)
beginnings = st.sampled_from(
    ["", "n", "n0", "f", "fact", "INV", "s", "S", "x", "x*", "%", "_", "é", "e", "\ud7ff", "\uffff",
     "\U0010ffff", "x\U0010ffff", "x\ud800", "*", "?", "'", '{"$ne": null}']
)  # fmt: skip


def filters(fields: st.SearchStrategy[str]) -> st.SearchStrategy[Filter]:
    values = st.lists(asked_values, min_size=1, max_size=4).map(tuple)
    leaves = st.one_of(
        st.builds(OneOf, fields, values),
        st.builds(Compare, fields, st.sampled_from(Relation), asked_values),
        st.builds(Prefix, fields, beginnings | asked_strings),
        st.builds(Exists, fields),
    )

    def combined(parts: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
        several = st.lists(parts, max_size=3).map(tuple)
        return st.builds(And, several) | st.builds(Or, several) | st.builds(Not, parts)

    return st.recursive(leaves, combined, max_leaves=5)


def fields_of(found: list[Content]) -> st.SearchStrategy[str]:
    there = [f"metadata.{key}" for content in found for key in content.metadata]
    absent = ["metadata.", "metadata.nobody", "metadata.\ud800"]
    fixed = st.sampled_from([*sorted(FIXED_FIELDS), *absent])
    return fixed | st.sampled_from(there) if there else fixed


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(contents, vectors), min_size=1, max_size=8), st.data())
def test_a_filter_means_the_same_on_both_legs_of_every_index_as_in_plain_words(
    found: list[tuple[Content, tuple[float, ...]]], data: st.DataObject
) -> None:
    stored = [written(f"n{i}", 1, content, vector) for i, (content, vector) in enumerate(found)]
    wanted = filters(fields_of([content for content, _ in found]))
    question = " ".join(WORDS)
    with tempfile.TemporaryDirectory() as folder:
        embedded = SqliteIndex(Path(folder), fingerprint=FINGERPRINT)
        indexes: list[SearchIndex] = [embedded, MemoryIndex(fingerprint=FINGERPRINT)]
        for index in indexes:
            index.write(stored)
        worded = set(ids(embedded, by_words(question)))
        for _ in range(8):
            asked = data.draw(wanted)
            expected = {one.id for one in stored if passes(record(one), asked)}
            for index in indexes:
                assert set(ids(index, by_words(question, filter=asked))) == expected & worded
                assert set(ids(index, by_vector(1, 2, 3, filter=asked))) == expected
                assert index.matching(PARTITION, asked, limit=9) == sorted(expected)
        embedded.close()


large = st.integers(2**63 - 2, 2**66) | st.integers(10**30, 10**31) | st.just(10**300)
compared = scalar_values | large | large.map(lambda number: -number) | asked_strings


@settings(max_examples=300, deadline=None)
@given(st.lists(compared, min_size=1, max_size=10), compared, st.sampled_from(Relation))
def test_any_two_values_stand_in_the_same_order_in_the_file_as_in_plain_words(
    values: list[Any], asked: Any, relation: Relation
) -> None:
    stored = [
        written(f"n{i}", 1, Content(text="ship", metadata={"k": value}), None)
        for i, value in enumerate(values)
        if not (isinstance(value, str) and is_broken(value))  # such a record is rejected
    ]
    leaf = Compare("metadata.k", relation, asked)
    with tempfile.TemporaryDirectory() as folder:
        index = SqliteIndex(Path(folder), fingerprint=FINGERPRINT)
        index.write(stored)
        expected = {one.id for one in stored if passes(record(one), leaf)}
        assert set(ids(index, by_words("ship", filter=leaf))) == expected
        index.close()
