"""A search index as a whole: the part of its contract about heights and renewal."""

import pytest

from contract.index_entries import (
    PARTITION,
    by_vector,
    by_words,
    entry,
    ids,
    tombstone,
    vector,
)
from palimpsest.domain.entries import Entry, LegStatus, WriteOutcome
from palimpsest.domain.errors import GenerationGone
from palimpsest.ports import SearchIndex


class GenerationsContract:
    """How far an index has come, and its replacement by an empty one."""

    def test_an_empty_index_has_no_heights(self, index: SearchIndex) -> None:
        assert list(index.heights()) == []

    def test_a_partition_is_as_high_as_its_highest_revision(self, index: SearchIndex) -> None:
        index.write([entry("a", "one", 4), entry("b", "two", 9, vector=vector(1, 0, 0))])
        index.write([entry("a", "else", 2, partition="acme#other")])
        assert dict(index.heights()) == {PARTITION: 9, "acme#other": 2}

    def test_tombstones_count_by_the_revision_that_removed_the_record(
        self, index: SearchIndex
    ) -> None:
        index.write([entry("a", "one", 4), tombstone("b", 6)])
        assert dict(index.heights()) == {PARTITION: 6}
        index.write([Entry(partition=PARTITION, id="a", revision=4, version=17)])
        assert dict(index.heights()) == {PARTITION: 8}

    def test_a_stale_write_lowers_nothing(self, index: SearchIndex) -> None:
        index.write([entry("a", "one", 5)])
        index.write([entry("a", "one", 3)])
        assert dict(index.heights()) == {PARTITION: 5}

    def test_a_renewed_index_is_an_empty_one_of_another_generation(
        self, index: SearchIndex
    ) -> None:
        before = index.generation()
        index.write([entry("a", "word", 9, vector=vector(1, 0, 0))])
        after = index.renew()
        assert index.generation() == after != before
        assert list(index.walk(PARTITION)) == []
        assert list(index.heights()) == []
        assert ids(index, by_words("word")) == ids(index, by_vector(1, 0, 0)) == []

    def test_a_renewed_index_takes_older_versions_and_vectors_of_another_width(
        self, index: SearchIndex
    ) -> None:
        index.write([entry("a", "newer", 9, vector=vector(1, 0, 0, 0))])
        index.renew()
        (result,) = index.write([entry("a", "older", 2, vector=vector(1, 0, 0))])
        assert result.outcome is WriteOutcome.APPLIED
        assert ids(index, by_words("older")) == ids(index, by_vector(1, 0, 0)) == ["a"]
        assert ids(index, by_words("newer")) == []

    def test_a_question_for_a_generation_that_is_gone_is_answered_by_no_other(
        self, index: SearchIndex
    ) -> None:
        index.write([entry("a", "heron")])
        gone = index.generation()
        assert index.search([by_words("heron")], timeout=5, generation=gone)[0].candidates
        index.renew()
        with pytest.raises(GenerationGone):
            index.search([by_words("heron")], timeout=5, generation=gone)
        assert index.search([by_words("heron")], timeout=5)[0].status is LegStatus.OK
