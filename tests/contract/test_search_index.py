"""Every search index against the contract, and the two plain ones against each other."""

import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contract.index_entries import (
    FINGERPRINT,
    ask,
    by_vector,
    by_words,
)
from contract.index_strategies import entries, texts, vectors
from contract.search_index_contract import SearchIndexContract
from palimpsest.adapters.memory import MemoryIndex
from palimpsest.adapters.sqlite import SqliteIndex
from palimpsest.domain.entries import Entry
from palimpsest.ports import SearchIndex


class TestMemory(SearchIndexContract):
    @pytest.fixture
    def index(self) -> SearchIndex:
        return MemoryIndex(fingerprint=FINGERPRINT)


class TestSqlite(SearchIndexContract):
    @pytest.fixture
    def index(self, tmp_path: Path) -> Iterator[SearchIndex]:
        index = SqliteIndex(tmp_path, fingerprint=FINGERPRINT)
        yield index
        index.close()


class TestSqliteWithAShortlist(SearchIndexContract):
    """Where even two vectors are compared by their sign bits first."""

    @pytest.fixture
    def index(self, tmp_path: Path) -> Iterator[SearchIndex]:
        index = SqliteIndex(tmp_path, fingerprint=FINGERPRINT, exact_rows=1, shortlist=2)
        yield index
        index.close()


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(entries, max_size=6), max_size=5), texts, vectors, st.integers(1, 7))
def test_the_embedded_index_ranks_as_the_plain_one(
    writes: list[list[Entry]], text: str, vector: tuple[float, ...], depth: int
) -> None:
    plain = MemoryIndex(fingerprint=FINGERPRINT)
    with tempfile.TemporaryDirectory() as folder:
        embedded = SqliteIndex(Path(folder), fingerprint=FINGERPRINT)
        for batch in writes:
            assert plain.write(batch) == embedded.write(batch)
            lexical, semantic = by_words(text, depth=depth), by_vector(*vector, depth=100)
            expected, got = ask(plain, lexical), ask(embedded, lexical)
            assert [c.id for c in got.candidates] == [c.id for c in expected.candidates]
            assert (got.status, got.cut) == (expected.status, expected.cut)
            assert [c.score for c in got.candidates] == pytest.approx(
                [c.score for c in expected.candidates], abs=2e-9
            )
            expected, got = ask(plain, semantic), ask(embedded, semantic)
            scores = {c.id: c.score for c in expected.candidates}
            assert {c.id: c.score for c in got.candidates} == pytest.approx(scores, abs=1e-6)
        assert list(plain.walk("acme#notes")) == list(embedded.walk("acme#notes"))
        embedded.close()


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(entries, st.sampled_from("abc")), max_size=25),
    texts,
    vectors,
    st.integers(1, 7),
    st.sampled_from([(4_000, 1_000), (2, 1)]),
)
def test_a_search_of_several_partitions_equals_one_of_a_partition_that_holds_them_all(
    made: list[tuple[Entry, str]],
    text: str,
    vector: tuple[float, ...],
    depth: int,
    limits: tuple[int, int],
) -> None:
    split, whole = ("t#a", "t#b", "t#c"), ("t#all",)
    plain = MemoryIndex(fingerprint=FINGERPRINT)
    with tempfile.TemporaryDirectory() as folder:
        embedded = SqliteIndex(
            Path(folder), fingerprint=FINGERPRINT, exact_rows=limits[0], shortlist=limits[1]
        )
        for index in (plain, embedded):
            for number, (one, name) in enumerate(made):
                unique = replace(one, id=f"n{number:02}")
                index.write([replace(unique, partition=f"t#{name}")])
                index.write([replace(unique, partition="t#all")])
            for query in (by_words(text, depth=depth), by_vector(*vector, depth=depth)):
                several = ask(index, replace(query, partitions=split))
                one_answer = ask(index, replace(query, partitions=whole))
                assert several.cut is one_answer.cut
                assert [(c.id, c.score) for c in several.candidates] == [
                    (c.id, c.score) for c in one_answer.candidates
                ]
        embedded.close()
