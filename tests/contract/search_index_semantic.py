"""Finding by vectors, and the order of what is found: a part of the search index's contract."""

import math
from dataclasses import replace

import pytest

from contract.index_entries import (
    ask,
    by_vector,
    by_words,
    entry,
    ids,
    vector,
)
from palimpsest.domain.entries import (
    Leg,
    LegStatus,
)
from palimpsest.ports import SearchIndex


class SemanticContract:
    """The semantic leg."""

    def test_the_nearest_come_first_with_their_cosines(self, index: SearchIndex) -> None:
        index.write([
            entry("right", "r", vector=vector(1, 0, 0)),
            entry("half", "h", vector=vector(1, 1, 0)),
            entry("left", "l", vector=vector(-1, 0, 0)),
            entry("wordless", "no vector"),
        ])  # fmt: skip
        found = ask(index, by_vector(1, 0, 0)).candidates
        assert [candidate.id for candidate in found] == ["right", "half", "left"]
        expected = [1, 0.7071, -1]
        assert [candidate.score for candidate in found] == pytest.approx(expected, abs=1e-3)

    def test_vectors_of_another_model_or_width_are_never_compared(self, index: SearchIndex) -> None:
        index.write([entry("a", "word", vector=vector(1, 0, 0))])
        for query in (
            by_vector(1, 0, 0, fingerprint="other:3"),
            by_vector(1, 0, 0, fingerprint=None),
            by_vector(1, 0, 0, 0),
        ):
            result = ask(index, query)
            assert (result.status, result.reason) == (LegStatus.FAILED, "fingerprint_mismatch")
            assert not result.candidates

    def test_a_question_without_a_vector_is_skipped(self, index: SearchIndex) -> None:
        result = ask(index, replace(by_vector(1, 0, 0), vector=None))
        assert (result.status, result.reason) == (LegStatus.SKIPPED, "no_vector")

    def test_a_question_that_is_no_direction_fails_by_name(self, index: SearchIndex) -> None:
        index.write([entry("a", "word", vector=vector(1, 0, 0))])
        for values in ((0.0, 0.0, 0.0), (math.nan, 0.0, 0.0)):
            result = ask(index, replace(by_vector(1, 0, 0), vector=values))
            assert (result.status, result.reason) == (LegStatus.FAILED, "unusable_vector")

    def test_one_leg_may_fail_and_the_other_answer(self, index: SearchIndex) -> None:
        index.write([entry("a", "word", vector=vector(1, 0, 0))])
        bad = by_vector(1, 0, 0, fingerprint="other:3")
        failed, lexical = index.search([bad, by_words("word")], timeout=10)
        assert (failed.leg, failed.status) == (Leg.SEMANTIC, LegStatus.FAILED)
        assert (lexical.leg, lexical.status) == (Leg.LEXICAL, LegStatus.OK)
        assert [candidate.id for candidate in lexical.candidates] == ["a"]


class OrderContract:
    """Order and depth."""

    def test_ties_go_by_id_whatever_the_order_of_writing(self, index: SearchIndex) -> None:
        names = ["m", "z", "a", "k", "B", "10", "9"]
        for name in names:
            index.write([entry(name, "one and the same", vector=vector(0, 1, 0))])
        assert ids(index, by_words("same")) == sorted(names)
        assert ids(index, by_vector(0, 1, 0)) == sorted(names)
        assert ids(index, by_words("same", depth=3)) == sorted(names)[:3]
        assert ids(index, by_vector(0, 1, 0, depth=3)) == sorted(names)[:3]

    def test_cut_says_that_there_were_more(self, index: SearchIndex) -> None:
        index.write([entry(f"n{i}", "word", vector=vector(1, i, 0)) for i in range(5)])
        for depth, cut in ((4, True), (5, False), (6, False)):
            legs = [by_words("word", depth=depth), by_vector(1, 0, 0, depth=depth)]
            for result in index.search(legs, timeout=10):
                assert (len(result.candidates), result.cut) == (min(depth, 5), cut)

    def test_a_smaller_depth_is_the_beginning_of_a_larger_one(self, index: SearchIndex) -> None:
        index.write(
            [entry(f"n{i}", "word " * (i % 7 + 1), vector=vector(1, i % 9, 1)) for i in range(60)]
        )
        for depth in (1, 10, 30):
            for query in (by_words("word"), by_vector(0, 1, 0)):
                assert ids(index, replace(query, depth=depth)) == ids(index, query)[:depth]

    def test_without_time_a_leg_says_so(self, index: SearchIndex) -> None:
        index.write([entry("a", "word")])
        (result,) = index.search([by_words("word")], timeout=0)
        assert (result.status, bool(result.reason)) == (LegStatus.TIMEOUT, True)
