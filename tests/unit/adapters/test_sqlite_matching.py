"""Which entries of the file pass a filter: only those are read, whether few or many."""

import random
from collections.abc import Callable

import pytest

from contract.index_entries import FINGERPRINT, PARTITION, entry, tombstone
from palimpsest.adapters.memory import MemoryIndex
from palimpsest.adapters.sqlite import SqliteIndex, walking
from palimpsest.adapters.sqlite.schema import run
from palimpsest.domain.errors import Unavailable
from palimpsest.domain.filters import And, Filter, Not, OneOf
from palimpsest.domain.records import Source


def at(uri: str) -> Filter:
    return OneOf("source.uri", (uri,))


def test_few_entries_are_read_by_their_numbers_and_no_view_is_made(
    opened: Callable[..., SqliteIndex],
) -> None:
    index = opened()
    index.write([entry(f"n{n:03}", "word", source=Source(uri=f"u{n}")) for n in range(500)])
    assert index.matching(PARTITION, at("u7"), limit=10) == ["n007"]
    file, views = index._current()
    assert not views._held
    with file.reading() as connection:
        sql = f"EXPLAIN QUERY PLAN {walking._OF_NUMBERS}"
        plan = [row[3] for row in run(connection, sql, ("[8]", 1, "", 10))]
    assert plan[:2] == [
        "SCAN json_each VIRTUAL TABLE INDEX 1:",
        "SEARCH entries USING INTEGER PRIMARY KEY (rowid=?)",
    ]


def test_many_are_read_in_the_order_of_a_key_up_to_the_last_one_told(
    opened: Callable[..., SqliteIndex],
) -> None:
    file, _ = opened()._current()
    with file.reading() as connection:
        sql = f"EXPLAIN QUERY PLAN {walking._PAGE_OF_NUMBERS}"
        (plan,) = [row[3] for row in run(connection, sql, (1, "", 10))]
    assert plan.endswith("(partition=? AND id>?)")


@pytest.mark.parametrize("few", [0, 5, 1_000])
@pytest.mark.parametrize("page", [1, 7, 1_000])
def test_few_and_many_are_told_alike(
    opened: Callable[..., SqliteIndex], monkeypatch: pytest.MonkeyPatch, few: int, page: int
) -> None:
    monkeypatch.setattr(walking, "FEW", few)
    monkeypatch.setattr(walking, "PAGE", page)
    chance = random.Random(5)
    real, plain = opened(), MemoryIndex(fingerprint=FINGERPRINT)
    for revision in range(1, 60):
        name, where = f"n{chance.randrange(30)}", chance.choice([PARTITION, "acme#other"])
        one = entry(name, "word", revision, source=Source(uri=chance.choice("uv")), partition=where)
        gone = tombstone(name, revision, where)
        batch = [one if chance.random() < 0.8 else gone]
        assert real.write(batch) == plain.write(batch)
    for where in (PARTITION, "acme#other"):
        for wanted in (at("u"), at("w"), Not(at("u")), And(())):
            for after in ("", "n1", "n15", "n9~"):
                for limit in (0, 1, 3, 100):
                    asked = real.matching(where, wanted, after=after, limit=limit)
                    assert asked == plain.matching(where, wanted, after=after, limit=limit)


def test_a_file_that_cannot_be_read_is_an_error_and_no_empty_list(
    opened: Callable[..., SqliteIndex],
) -> None:
    index = opened()
    index.write([entry("a", "word", source=Source(uri="u"))])
    generation = index.generation()
    file, _ = index._current()
    with file.writing() as connection:
        run(connection, "DROP TABLE attributes")
    with pytest.raises(Unavailable):
        index.matching(PARTITION, at("u"), limit=10)
    assert index.generation() == generation
