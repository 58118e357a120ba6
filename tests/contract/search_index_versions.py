"""Writes to a search index: the part of its contract about versions, tombstones and walks."""

import math

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
from palimpsest.domain.entries import (
    EntryState,
    Leg,
    WriteOutcome,
)
from palimpsest.domain.records import Content
from palimpsest.ports import SearchIndex


class VersionsContract:
    """Writes: any order, any number of times, and the same result."""

    def test_what_was_written_is_found_at_once_on_both_legs(self, index: SearchIndex) -> None:
        (result,) = index.write([entry("a", "a brass compass", 7, vector=vector(1, 0, 0))])
        assert (result.id, result.outcome) == ("a", WriteOutcome.APPLIED)
        lexical, semantic = index.search([by_words("compass"), by_vector(1, 0, 0)], timeout=10)
        for leg in (lexical, semantic):
            (found,) = leg.candidates
            assert (found.id, found.revision) == ("a", 7)
            assert found.text_hash == Content(text="a brass compass").text_hash
        assert semantic.candidates[0].score == pytest.approx(1, abs=1e-6)

    def test_a_late_older_write_is_stale_and_changes_nothing(self, index: SearchIndex) -> None:
        index.write([entry("a", "newer words", 9)])
        (result,) = index.write([entry("a", "older words", 4, vector=vector(1, 0, 0))])
        assert result.outcome is WriteOutcome.STALE
        assert ids(index, by_words("newer")) == ["a"]
        assert ids(index, by_words("older")) == ids(index, by_vector(1, 0, 0)) == []

    def test_of_equal_versions_the_later_stands(self, index: SearchIndex) -> None:
        index.write([entry("a", "first words", 3)])
        (result,) = index.write([entry("a", "second thoughts", 3)])
        assert result.outcome is WriteOutcome.APPLIED
        assert ids(index, by_words("first")) == []
        assert ids(index, by_words("second")) == ["a"]

    def test_writing_twice_is_writing_once(self, index: SearchIndex) -> None:
        for _ in range(2):
            index.write([entry("a", "the same"), entry("b", "another thing")])
        assert ids(index, by_words("same")) == ["a"]
        assert [state.id for state in index.walk(PARTITION)] == ["a", "b"]

    def test_a_lexical_write_never_takes_away_the_vector_of_its_revision(
        self, index: SearchIndex
    ) -> None:
        index.write([entry("a", "words", 5, vector=vector(0, 1, 0))])
        (late,) = index.write([entry("a", "words", 5)])
        assert late.outcome is WriteOutcome.STALE
        assert ids(index, by_vector(0, 1, 0)) == ["a"]

    def test_two_versions_in_one_write_count_in_any_order(self, index: SearchIndex) -> None:
        results = index.write([entry("a", "new", 2), entry("a", "old", 1), entry("b", "else", 2)])
        assert [r.outcome.value for r in results] == ["applied", "stale", "applied"]
        assert ids(index, by_words("new")) == ["a"]

    def test_a_rejected_entry_does_not_stop_the_others(self, index: SearchIndex) -> None:
        index.write([entry("z", "fixes the width", vector=vector(1, 0, 0))])
        results = index.write(
            [
                entry("a", "fits", vector=vector(1, 0, 0)),
                entry("b", "too wide", vector=vector(1, 0, 0, 0)),
                entry("c", "fits too", vector=vector(0, 1, 0)),
                entry("d", "no direction", vector=(0.0, 0.0, 0.0)),
                entry("e", "no number", vector=(1.0, math.nan, 0.0)),
            ]
        )
        outcomes = ["applied", "rejected", "applied", "rejected", "rejected"]
        assert [r.outcome.value for r in results] == outcomes
        assert [r.reason for r in results if r.reason] == ["wrong_width", "zero", "not_finite"]
        assert {"a", "c"} <= set(ids(index, by_vector(1, 1, 0)))

    def test_a_tombstone_takes_a_record_from_both_legs_for_ever(self, index: SearchIndex) -> None:
        written = entry("a", "to be forgotten", 3, vector=vector(1, 0, 0))
        index.write([written])
        (gone,) = index.write([tombstone("a", 4)])
        assert gone.outcome is WriteOutcome.APPLIED
        (late,) = index.write([written])
        assert late.outcome is WriteOutcome.STALE
        assert ids(index, by_words("forgotten")) == ids(index, by_vector(1, 0, 0)) == []

    def test_a_forgotten_id_can_be_written_again(self, index: SearchIndex) -> None:
        index.write([tombstone("a", 4)])
        index.write([entry("a", "back again", 5)])
        assert ids(index, by_words("again")) == ["a"]

    def test_equal_texts_live_apart(self, index: SearchIndex) -> None:
        twins = [entry(name, "twins", vector=vector(0, 0, 1)) for name in ("a", "b")]
        index.write(twins)
        assert ids(index, by_words("twins")) == ids(index, by_vector(0, 0, 1)) == ["a", "b"]
        index.write([tombstone("a", 2)])
        assert ids(index, by_words("twins")) == ids(index, by_vector(0, 0, 1)) == ["b"]

    def test_a_walk_gives_every_entry_by_id_tombstones_too(self, index: SearchIndex) -> None:
        index.write([entry("b", "two", 2, vector=vector(1, 0, 0)), entry("a", "one", 1)])
        index.write([tombstone("c", 3), entry("~", "last"), entry("B", "capital")])
        assert list(index.walk(PARTITION)) == [
            EntryState("B", 1, 2, tombstone=False, vector=False),
            EntryState("a", 1, 2, tombstone=False, vector=False),
            EntryState("b", 2, 5, tombstone=False, vector=True),
            EntryState("c", 3, 7, tombstone=True, vector=False),
            EntryState("~", 1, 2, tombstone=False, vector=False),
        ]
        assert list(index.walk("acme#elsewhere")) == []

    def test_the_legs_of_an_id_are_those_that_can_find_it_and_none_after_a_tombstone(
        self, index: SearchIndex
    ) -> None:
        index.write([entry("both", "two", vector=vector(1, 0, 0)), entry("words", "one")])
        assert index.legs(PARTITION, "both") == set(Leg)
        assert index.legs(PARTITION, "words") == {Leg.LEXICAL}
        assert index.legs(PARTITION, "nobody") == set()
        assert index.legs("acme#elsewhere", "both") == set()
        index.write([tombstone("both", 2)])
        assert index.legs(PARTITION, "both") == set()

    def test_a_generation_keeps_its_name(self, index: SearchIndex) -> None:
        first = index.generation()
        index.write([entry("a", "x-ray")])
        assert index.generation() == first

    def test_nothing_written_and_nothing_asked_are_fine(self, index: SearchIndex) -> None:
        assert index.write([]) == []
        assert index.search([], timeout=1) == []
        assert ids(index, by_words("anything")) == ids(index, by_vector(1, 0, 0)) == []
