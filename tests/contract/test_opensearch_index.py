"""The search index on a real OpenSearch node: the contract, and the plain index as its measure."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from contract.index_entries import FINGERPRINT, PARTITION, ask, by_vector, by_words, ids
from contract.index_strategies import WORDS, contents, entries, record, texts, vectors, written
from contract.opensearch_index import reading
from contract.search_index_contract import SearchIndexContract
from contract.test_index_filters import compared, fields_of, filters
from palimpsest.adapters.memory import MemoryIndex
from palimpsest.adapters.opensearch import OpenSearchIndex, common_terms
from palimpsest.domain import lexical
from palimpsest.domain.clean import is_broken
from palimpsest.domain.entries import Entry
from palimpsest.domain.filters import Compare, Relation, passes
from palimpsest.domain.records import Content
from palimpsest.ports import SearchIndex

pytestmark = pytest.mark.opensearch
NODE = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


class TestOpenSearch(SearchIndexContract):
    @pytest.fixture
    def index(self, opensearch_url: str, index_prefix: str) -> SearchIndex:
        return reading(opensearch_url, index_prefix)


@contextmanager
def fresh(url: str) -> Iterator[OpenSearchIndex]:
    """An empty index for one example."""
    prefix = f"test-{secrets.token_hex(6)}"
    index = reading(url, prefix)
    try:
        yield index
    finally:
        index._client.indices.delete(index=f"{prefix}-v*")


@NODE
@given(st.lists(st.lists(entries, max_size=6), max_size=4), texts, vectors)
def test_it_finds_what_the_plain_index_finds(
    opensearch_url: str, writes: list[list[Entry]], text: str, vector: tuple[float, ...]
) -> None:
    plain = MemoryIndex(fingerprint=FINGERPRINT)
    with fresh(opensearch_url) as real:
        for batch in writes:
            assert plain.write(batch) == real.write(batch)
        worded, semantic = by_words(text), by_vector(*vector)
        expected, got = ask(plain, worded), ask(real, worded)
        assert {c.key: c.text_hash for c in got.candidates} == {
            c.key: c.text_hash for c in expected.candidates
        }
        assert (got.status, got.cut) == (expected.status, expected.cut)
        scores = {c.id: c.score for c in ask(plain, semantic).candidates}
        found = {c.id: c.score for c in ask(real, semantic).candidates}
        assert found == pytest.approx(scores, abs=2e-3)  # float16 there, float32 here
        assert list(plain.walk("acme#notes")) == list(real.walk("acme#notes"))
        assert dict(plain.heights()) == dict(real.heights())


@NODE
@given(st.lists(entries, min_size=4, max_size=9), st.lists(texts, min_size=2, max_size=4))
def test_common_words_admit_the_same_as_in_the_plain_index(
    opensearch_url: str, stored: list[Entry], asked: list[str]
) -> None:
    plain = MemoryIndex(fingerprint=FINGERPRINT)
    with fresh(opensearch_url) as real, pytest.MonkeyPatch.context() as patched:
        for module in (lexical, common_terms):
            patched.setattr(module, "COMMON_FLOOR", 1)  # so that a few documents are enough
        assert plain.write(stored) == real.write(stored)
        for text in asked * 2:
            expected, got = ask(plain, by_words(text)), ask(real, by_words(text))
            assert {c.key for c in got.candidates} == {c.key for c in expected.candidates}
            assert (got.status, got.cut) == (expected.status, expected.cut)


@NODE
@given(st.lists(st.tuples(contents, vectors), min_size=1, max_size=8), st.data())
def test_a_filter_means_the_same_on_both_legs_as_in_plain_words(
    opensearch_url: str, found: list[tuple[Content, tuple[float, ...]]], data: st.DataObject
) -> None:
    stored = [written(f"n{i}", 1, content, vector) for i, (content, vector) in enumerate(found)]
    wanted = filters(fields_of([content for content, _ in found]))
    question = " ".join(WORDS)
    with fresh(opensearch_url) as index:
        index.write(stored)
        worded = set(ids(index, by_words(question)))
        for _ in range(8):
            asked = data.draw(wanted)
            expected = {one.id for one in stored if passes(record(one), asked)}
            assert set(ids(index, by_words(question, filter=asked))) == expected & worded
            assert set(ids(index, by_vector(1, 2, 3, filter=asked))) == expected
            assert index.matching(PARTITION, asked, limit=9) == sorted(expected)


@NODE
@given(st.lists(compared, min_size=1, max_size=10), st.lists(compared, min_size=1, max_size=8))
def test_any_two_values_stand_in_the_same_order_in_the_index_as_in_plain_words(
    opensearch_url: str, values: list[Any], asked: list[Any]
) -> None:
    stored = [
        written(f"n{i}", 1, Content(text="ship", metadata={"k": value}), None)
        for i, value in enumerate(values)
        if not (isinstance(value, str) and is_broken(value))  # such a record is rejected
    ]
    with fresh(opensearch_url) as index:
        index.write(stored)
        for value in asked:
            for relation in Relation:
                leaf = Compare("metadata.k", relation, value)
                expected = {one.id for one in stored if passes(record(one), leaf)}
                assert set(ids(index, by_words("ship", filter=leaf))) == expected
