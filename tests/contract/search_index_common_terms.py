"""Words that stand in many of the documents asked: a part of the search index's contract."""

import pytest

from contract.index_entries import HOUR, NOW, PARTITION, ask, by_words, entry, ids, tombstone
from palimpsest.domain.entries import Entry, LegStatus
from palimpsest.ports import SearchIndex

A, B = "acme#a", "acme#b"
MANY = 110
"""More than the hundred below which no word is common."""


def crowd(word: str, partition: str = PARTITION, *, count: int = MANY) -> list[Entry]:
    return [entry(f"{word}{i:03}", word, partition=partition) for i in range(count)]


class CommonTermsContract:
    """Common words raise a document and admit none (`domain.lexical.common_terms`)."""

    def test_a_common_word_raises_a_document_and_admits_none(self, index: SearchIndex) -> None:
        index.write([*crowd("everywhere"), entry("r", "rare x y"), entry("it", "rare everywhere")])
        assert ids(index, by_words("rare everywhere")) == ["it", "r"]
        result = ask(index, by_words("rare everywhere", depth=2))
        assert [one.id for one in result.candidates] == ["it", "r"]
        assert not result.cut

    def test_terms_are_common_by_all_partitions_together(self, index: SearchIndex) -> None:
        index.write(crowd("everywhere", A))
        index.write([entry("it", "rare everywhere", partition=B), entry("r", "rare", partition=B)])
        both = by_words("rare everywhere", partitions=(A, B))
        assert sorted(ids(index, both)) == ["it", "r"]
        assert sorted(ids(index, by_words("rare everywhere", partitions=(B,)))) == ["it", "r"]
        assert len(ids(index, by_words("rare everywhere", partitions=(A,), depth=200))) == MANY

    def test_where_all_words_that_stand_anywhere_are_common_none_is(
        self, index: SearchIndex
    ) -> None:
        index.write([*crowd("everywhere"), entry("it", "something else")])
        for text in ("everywhere", "everywhere nowhere"):
            assert len(ids(index, by_words(text, depth=200))) == MANY

    def test_a_word_of_a_hundred_documents_is_never_common(self, index: SearchIndex) -> None:
        index.write([*crowd("often", count=100), entry("it", "rare")])
        assert len(ids(index, by_words("rare often", depth=200))) == 101

    def test_what_was_removed_counts_neither_as_holding_nor_as_a_document(
        self, index: SearchIndex
    ) -> None:
        index.write([*crowd("often", count=120), *crowd("other", count=580)])  # 17 %
        index.write([entry("it", "rare")])
        gone = [tombstone(f"other{i:03}", 2) for i in range(200)]  # then it is 24 %
        index.write(gone)
        assert ids(index, by_words("rare often", depth=200)) == ["it"]
        index.write([tombstone(f"often{i:03}", 2) for i in range(20)])
        other = by_words("rare often absent", depth=200, partitions=(PARTITION, "acme#empty"))
        assert len(ids(index, other)) == 101

    def test_what_is_not_valid_counts_as_a_document_all_the_same(self, index: SearchIndex) -> None:
        ended = NOW - HOUR
        index.write([entry(f"n{i:03}", "everywhere", valid_to=ended) for i in range(MANY)])
        index.write([entry("r", "rare"), entry("c", "everywhere")])
        assert ids(index, by_words("rare everywhere")) == ["r"]

    @pytest.mark.parametrize("text", ["rare {} everywhere", "everywhere {} rare"])
    def test_in_a_question_of_two_thousand_words_it_makes_no_difference_where_they_stand(
        self, index: SearchIndex, text: str
    ) -> None:
        index.write([*crowd("everywhere"), entry("r", "rare x y"), entry("it", "rare everywhere")])
        ask(index, by_words("rare everywhere"))
        asked = text.format(" ".join(f"q{i}" for i in range(2_000)))
        assert ids(index, by_words(asked)) == ["it", "r"]

    def test_each_of_several_wordings_is_judged_by_itself(self, index: SearchIndex) -> None:
        index.write([*crowd("everywhere"), entry("r", "rare x y"), entry("it", "rare everywhere")])
        asked = ["rare everywhere", "everywhere", "r", "rare", "everywhere other rare"]
        results = index.search([by_words(text, depth=200) for text in asked], timeout=10)
        assert [len(one.candidates) for one in results] == [2, MANY + 1, 0, 2, 2]
        assert [one.status for one in results if one.candidates] == [LegStatus.OK] * 4
