"""Several partitions asked at once: a part of the search index's contract."""

from dataclasses import replace

import pytest

from contract.index_entries import ask, by_vector, by_words, entry, tombstone, vector
from palimpsest.domain.entries import Candidate, LegQuery, LegStatus
from palimpsest.domain.filters import Not, OneOf
from palimpsest.ports import SearchIndex

A, B, C = "acme#a", "acme#b", "other#a"
ALL = "acme#all"


def keys(index: SearchIndex, query: LegQuery) -> list[tuple[str, str]]:
    return [candidate.key for candidate in ask(index, query).candidates]


class PartitionsContract:
    """What is asked of several partitions is answered as by one that holds all their entries."""

    def test_equal_ids_of_two_partitions_are_two_candidates(self, index: SearchIndex) -> None:
        up = vector(1, 0, 0)
        for partition, revision in ((A, 3), (B, 4), (C, 5)):
            index.write([entry("same", "word", revision, vector=up, partition=partition)])
        for query in (by_words("word"), by_vector(1, 0, 0)):
            found = ask(index, replace(query, partitions=(B, A))).candidates
            assert [(c.partition, c.id, c.revision) for c in found] == [
                (A, "same", 3),
                (B, "same", 4),
            ]

    def test_ties_go_by_id_and_then_by_partition(self, index: SearchIndex) -> None:
        up = vector(1, 0, 0)
        for partition in (B, A):
            index.write([entry(i, "word", vector=up, partition=partition) for i in ("z", "k")])
        expected = [(A, "k"), (B, "k"), (A, "z"), (B, "z")]
        for query in (by_words("word"), by_vector(1, 0, 0)):
            assert keys(index, replace(query, partitions=(B, A))) == expected
            assert keys(index, replace(query, partitions=(A, B), depth=3)) == expected[:3]

    def test_c7_another_tenants_partition_is_never_among_them(self, index: SearchIndex) -> None:
        up = vector(1, 0, 0)
        for partition in (A, B, C):
            index.write([entry("same", "word", vector=up, partition=partition, kind="fact")])
        index.write([tombstone("same", 2, B)])
        everything = Not(OneOf("kind", ("note",)))
        for query in (by_words("word"), by_vector(1, 0, 0)):
            for wanted in (None, everything):
                asked = replace(query, partitions=(A, B), filter=wanted)
                assert keys(index, asked) == [(A, "same")]

    def test_partitions_nobody_wrote_to_are_empty(self, index: SearchIndex) -> None:
        index.write([entry("a", "word", vector=vector(1, 0, 0), partition=A)])
        for query in (by_words("word"), by_vector(1, 0, 0)):
            assert keys(index, replace(query, partitions=("acme#no", A, "x#y"))) == [(A, "a")]
            result = ask(index, replace(query, partitions=("acme#no", "x#y")))
            assert (result.status, list(result.candidates)) == (LegStatus.OK, [])

    def test_a_partition_without_vectors_is_no_fault_of_the_others(
        self, index: SearchIndex
    ) -> None:
        index.write([entry("wordless", "word", partition=B)])
        index.write([entry("a", "word", vector=vector(1, 0, 0), partition=A)])
        assert keys(index, by_vector(1, 0, 0, partitions=(B, A))) == [(A, "a")]

    @pytest.mark.parametrize("depth", [1, 3, 100])
    def test_scores_and_order_are_those_of_one_partition_that_holds_them_all(
        self, index: SearchIndex, depth: int
    ) -> None:
        texts = ["common thing", "common rare", "rare rare thing", "common", "thing of a kind"]
        for i in range(30):
            made = entry(f"n{i:02}", texts[i % 5] + " x" * (i % 3), vector=vector(1, i % 7, i % 4),
                         partition=(A, B)[i * 7 % 3 == 0])  # fmt: skip
            index.write([made, replace(made, partition=ALL)])
        for query in (by_words("common rare kind"), by_vector(1, 2, 3)):
            split = ask(index, replace(query, partitions=(A, B), depth=depth))
            whole = ask(index, replace(query, partitions=(ALL,), depth=depth))
            assert split.cut is whole.cut
            assert [_found(c) for c in split.candidates] == [_found(c) for c in whole.candidates]

    def test_both_legs_of_several_partitions_are_one_round_trip(self, index: SearchIndex) -> None:
        index.write([entry("a", "word", vector=vector(1, 0, 0), partition=A)])
        index.write([entry("b", "word", vector=vector(1, 0, 0), partition=B)])
        queries = [by_words("word", partitions=(A, B)), by_vector(1, 0, 0, partitions=(A, B))]
        for result in index.search(queries, timeout=10):
            assert [c.key for c in result.candidates] == [(A, "a"), (B, "b")]


def _found(candidate: Candidate) -> tuple[str, float, int, str]:
    return candidate.id, candidate.score, candidate.revision, candidate.text_hash
