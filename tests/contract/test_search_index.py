"""Every search index against the contract, and the two plain ones against each other."""

import math
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contract.index_entries import (
    FINGERPRINT,
    NOW,
    PARTITION,
    ask,
    by_vector,
    by_words,
    entry,
    ids,
    tombstone,
)
from contract.search_index_contract import SearchIndexContract
from palimpsest.adapters.memory import MemoryIndex
from palimpsest.adapters.sqlite import SqliteIndex
from palimpsest.domain.entries import Entry
from palimpsest.domain.filters import Condition, Filter, passes
from palimpsest.domain.records import Content, Record, Source, Status
from palimpsest.domain.vectors import unit
from palimpsest.ports import SearchIndex


class TestMemory(SearchIndexContract):
    @pytest.fixture
    def index(self) -> SearchIndex:
        return MemoryIndex(fingerprint=FINGERPRINT)

    def test_a_lost_index_is_an_empty_one_of_another_generation(self) -> None:
        index = MemoryIndex(fingerprint=FINGERPRINT)
        index.write([entry("a", "word")])
        before = index.generation()
        index.lose()
        assert index.generation() != before
        assert ids(index, by_words("word")) == []
        assert list(index.walk(PARTITION)) == []


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


WORDS = ["ship", "mortar", "kiln", "river", "stone", "ships", "INV-17", "成語", "the", "Ещё"]
texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(" ".join)
vectors = st.tuples(*[st.floats(-1, 1, width=16)] * 3).filter(lambda v: math.hypot(*v) > 0.1)
names = st.sampled_from(["a", "b", "c", "d", "e", "f"])
scalar_values = st.one_of(
    st.booleans(), st.integers(-3, 3), st.sampled_from([0.0, 1.0, 2.5, -3.0, 2.0**70, 1e300]),
    st.just(2**70), st.just(2**70 + 1), st.sampled_from(["", "1", "true", "x", "é", "e\u0301"]),
)  # fmt: skip
lists = st.lists(st.sampled_from(["1", "x", "y"]), max_size=3).map(tuple)
metadata_values = scalar_values | lists
keys = st.one_of(
    st.sampled_from(["k", "k.k", "K", "'", '"', "%"]),
    st.text(st.characters(exclude_categories=["C"]), min_size=1, max_size=3),
)
instants = st.sampled_from(
    [NOW, datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC), None]
)
contents = st.builds(
    Content,
    text=texts,
    title=st.none() | texts,
    kind=st.none() | st.sampled_from(["fact", "note", ""]),
    subject=st.none() | st.sampled_from(WORDS),
    tags=st.lists(st.sampled_from(WORDS), max_size=3).map(tuple),
    entities=st.lists(st.sampled_from(WORDS), max_size=2).map(tuple),
    event_time=instants,
    importance=st.sampled_from([0.0, 0.5, 1.0]),
    source=st.none() | st.builds(Source, uri=st.none() | st.sampled_from(["u", "v"])),
    metadata=st.dictionaries(keys, metadata_values, max_size=4),
)


def written(entry_id: str, revision: int, content: Content | None, vector: Any) -> Entry:
    if content is None:
        return tombstone(entry_id, revision)
    made = None if vector is None else unit(vector, dimension=3)
    plain = entry(entry_id, "", revision, vector=made)
    return Entry(
        partition=plain.partition,
        id=entry_id,
        revision=revision,
        version=plain.version,
        content=content,
        created_at=NOW,
        updated_at=NOW,
        vector=made,
    )


entries = st.builds(written, names, st.integers(1, 5), st.none() | contents, st.none() | vectors)


def record(of: Entry) -> Record:
    return Record(
        id=of.id,
        namespace="notes",
        revision=of.revision,
        status=Status.ACTIVE,
        content=of.content,
        created_at=NOW,
        updated_at=NOW,
    )


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
@given(st.lists(contents, min_size=1, max_size=8), st.data())
def test_a_filter_means_the_same_in_sql_as_in_plain_words(
    found: list[Content], data: st.DataObject
) -> None:
    stored = [written(f"n{i}", 1, content, None) for i, content in enumerate(found)]
    keys_there = [f"metadata.{key}" for content in found for key in content.metadata]
    fixed = ["id", "kind", "subject", "tags", "entities", "importance", "event_time", "source.uri"]
    field = st.sampled_from([*keys_there, *fixed, "metadata.", "document.id", "created_at"])
    scalars = st.one_of(
        scalar_values,
        st.sampled_from([NOW, "n0", "fact", "u", 0.5, "x\ud800", datetime(1, 1, 1, tzinfo=UTC)]),
        st.sampled_from(WORDS),
    )
    condition = st.builds(Condition, field, st.lists(scalars, min_size=1, max_size=4).map(tuple))
    with tempfile.TemporaryDirectory() as folder:
        index = SqliteIndex(Path(folder), fingerprint=FINGERPRINT)
        index.write(stored)
        for _ in range(5):
            wanted = Filter(tuple(data.draw(st.lists(condition, min_size=1, max_size=2))))
            expected = {one.id for one in stored if passes(record(one), wanted)}
            question = by_words(" ".join(WORDS), filter=wanted)
            everyone = set(ids(index, by_words(" ".join(WORDS))))
            assert set(ids(index, question)) == expected & everyone
        index.close()
