"""Filters in the file: ranges of its primary key, and tables that no record makes grow."""

import itertools
import math
from collections.abc import Callable
from typing import Any

import pytest

from contract.index_entries import by_words, entry, ids
from palimpsest.adapters.sqlite import SqliteIndex
from palimpsest.adapters.sqlite.encoding import NUMBER_KINDS, kind_and_value
from palimpsest.adapters.sqlite.leaf_statements import statements
from palimpsest.adapters.sqlite.schema import run
from palimpsest.domain.filters import Compare, Exists, Leaf, OneOf, Prefix, Relation

ORDERED_NUMBERS: list[Any] = [
    -1e300, -(2**70) - 1, -(2**70), -(2**63) - 1, -(2**63), -5.5, -5e-324, 0, 5e-324, 0.1, 1,
    2**53, 2**53 + 1, 2**63 - 1, 2**63, 2**64, 9 * 10**30, 10**31, 10**300, 10**305,
]  # fmt: skip


@pytest.mark.parametrize(
    ("leaf", "range_"),
    [
        (OneOf("metadata.k", (1, 2.5)), "kind=? AND value=?"),
        (Compare("metadata.k", Relation.GT, 5), "kind=? AND value>?"),
        (Compare("metadata.k", Relation.LTE, "m"), "kind=? AND value<?"),
        (Prefix("kind", "fa"), "kind=? AND value>? AND value<?"),
        (Prefix("kind", "\U0010ffff"), "kind=? AND value>?"),
        (Exists("kind"), "field=?"),
    ],
)
def test_every_leaf_is_a_range_of_the_primary_key(
    opened: Callable[..., SqliteIndex], leaf: Leaf, range_: str
) -> None:
    index = opened()
    index.write([entry("a", "word", kind="fact", metadata={"k": 5})])
    file, _ = index._current()
    sql, values = next(statements(leaf, partition=1))
    with file.reading() as connection:
        plan = str(run(connection, f"EXPLAIN QUERY PLAN {sql}", values))
    assert "SEARCH attributes USING PRIMARY KEY (partition=? AND field=?" in plan
    assert range_ in plan


def test_numbers_of_any_size_stand_in_order() -> None:
    made = [kind_and_value(number) for number in ORDERED_NUMBERS]
    keys = [(NUMBER_KINDS.index(kind), value) for kind, value in filter(None, made)]
    assert len(keys) == len(ORDERED_NUMBERS)
    for smaller, larger in itertools.pairwise(keys):
        assert smaller < larger


def test_equal_numbers_are_written_alike() -> None:
    for one, other in ((5, 5.0), (0.0, -0.0), (2**70, 2.0**70), (-(2**63), -(2.0**63))):
        assert kind_and_value(one) == kind_and_value(other)
    assert kind_and_value(True) != kind_and_value(1)
    assert kind_and_value(math.nan) is None


def test_g10_five_hundred_metadata_keys_make_no_table_and_no_index(
    opened: Callable[..., SqliteIndex],
) -> None:
    def tables() -> Any:
        with index._current()[0].reading() as connection:
            return run(connection, "SELECT name, sql FROM sqlite_schema ORDER BY name")

    index = opened()
    index.write([entry("first", "word", metadata={"k": 1})])
    before = tables()
    index.write(
        [entry(f"n{n}", "word", metadata={f"k{n}_{i}": i for i in range(50)}) for n in range(10)]
    )
    assert tables() == before
    for n in range(10):
        assert ids(index, by_words("word", filter=Exists(f"metadata.k{n}_49"))) == [f"n{n}"]


@pytest.mark.parametrize(
    "fields",
    [
        {"kind": "half \ud83d of a face"},
        {"tags": ("\ud83d",)},
        {"metadata": {"k": "\ud83d"}},
        {"metadata": {"\ud83d": 1}},
    ],
)
def test_fields_that_are_no_unicode_are_rejected_by_name(
    opened: Callable[..., SqliteIndex], fields: dict[str, Any]
) -> None:
    results = opened().write([entry("a", "word", **fields), entry("b", "word")])
    assert [r.reason for r in results] == ["not_unicode", None]
