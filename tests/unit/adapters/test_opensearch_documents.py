"""Entries as lines of a bulk: what is sent, and what is refused before it is sent."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contract.index_entries import NOW, PARTITION, entry, tombstone, vector
from palimpsest.adapters.opensearch.documents import (
    LONGEST_ID,
    Prepared,
    document_id,
    frequency,
    prepared,
)
from palimpsest.adapters.opensearch.tokens import LONGEST_TOKEN, token
from palimpsest.domain.entries import Entry
from palimpsest.domain.lexical import FieldWeights

KEY_AND_KIND = 17
ROOM = LONGEST_TOKEN - KEY_AND_KIND


def made(of: Entry) -> Prepared:
    return prepared(of, dimension=3, weights=FieldWeights(), now=NOW)


def sent(of: Entry) -> tuple[dict[str, Any], dict[str, Any]]:
    """Action and document."""
    one = made(of)
    assert one.rejection is None
    assert one.lines.endswith(b"\n")
    action, document = one.lines.splitlines()
    return json.loads(action)["index"], json.loads(document)


def test_an_entry_is_written_under_its_own_id_and_version() -> None:
    action, document = sent(entry("a", "heron", 7, vector=vector(1, 0, 0)))
    assert action == {"_id": f"{PARTITION}#a", "version": 15, "version_type": "external_gte"}
    assert (document["partition"], document["id"]) == (PARTITION, "a")
    assert (document["revision"], document["version"]) == (7, 15)
    assert document["tombstone"] is False


def test_a_tombstone_entry_says_nothing_but_that() -> None:
    action, document = sent(tombstone("a", 7))
    assert action["version"] == 15
    assert document.keys() == {
        "partition", "id", "revision", "version", "tombstone", "removed_at",
    }  # fmt: skip
    assert document["tombstone"] is True


def test_no_word_of_a_text_is_sent() -> None:
    lines = made(entry("a", "zebrasecret otters", title="Herons", vector=vector(1, 2, 3))).lines
    for word in (b"zebra", b"otter", b"heron", b"Heron"):
        assert word not in lines


def test_hundreds_of_metadata_keys_change_nothing_but_the_tokens() -> None:
    plain = entry("a", "heron", metadata={})
    rich = entry("a", "heron", metadata={f"k{n}": n for n in range(500)})
    (_, before), (_, after) = sent(plain), sent(rich)
    tokens = after.pop("tokens")
    assert set(before.pop("tokens")) < set(tokens)
    assert before | {"text_hash": ""} == after | {"text_hash": ""}
    assert len(set(tokens)) == len(tokens) >= 1_000


@pytest.mark.parametrize("letter", ["x", "é", "\U0001f600"])
def test_a_value_is_sent_up_to_the_longest_term_there_may_be_and_refused_beyond(
    letter: str,
) -> None:
    size = len(letter.encode())
    fits = "x" * (ROOM % size) + letter * (ROOM // size)
    assert len(fits.encode()) == ROOM
    _, document = sent(entry("a", "heron", metadata={"k": fits}))
    assert max(len(one.encode()) for one in document["tokens"]) == LONGEST_TOKEN == 32_766
    for value in (fits + "x", "x" * 40_960):
        for refused in (
            made(entry("a", "heron", metadata={"k": value})),
            made(entry("a", "heron", tags=("fine", value))),
            made(entry("a", "heron", vector=vector(1, 0, 0), subject=value)),
        ):
            assert (refused.rejection, refused.lines) == ("value_too_long", b"")


@pytest.mark.parametrize("value", ["half \ud800", "\udfff"])
def test_half_of_a_surrogate_pair_is_refused_wherever_it_stands(value: str) -> None:
    for one in (
        entry("a", "heron", metadata={"k": value}),
        entry("a", "heron", metadata={value: "v"}),
        entry("a", "heron", tags=(value,)),
        entry(value, "heron"),
    ):
        assert made(one).rejection == "not_unicode"


@pytest.mark.parametrize(
    ("numbers", "reason"),
    [
        ((1.0, 0.0), "wrong_width"),
        ((1.0, 0.0, 0.0, 0.0), "wrong_width"),
        ((0.0, 0.0, 0.0), "zero"),
        ((float("nan"), 1.0, 0.0), "not_finite"),
        ((float("inf"), 1.0, 0.0), "not_finite"),
    ],
)
def test_a_vector_that_cannot_be_compared_is_refused(
    numbers: tuple[float, ...], reason: str
) -> None:
    one = replace(entry("a", "heron"), vector=numbers)
    assert made(one).rejection == reason


names = st.text(st.characters(exclude_categories=["C"], exclude_characters="#"), min_size=1)


@given(
    st.lists(st.tuples(names, names), min_size=2, max_size=6, unique=True),
    st.sampled_from(["", "x" * 500]),
)
def test_ids_are_short_enough_and_as_distinct_as_what_they_stand_for(
    found: list[tuple[str, str]], start: str
) -> None:
    pairs = [(f"acme#{ns}", start + record) for ns, record in found]
    made_ids = [document_id(*pair) for pair in pairs]
    assert len(set(made_ids)) == len(set(pairs))
    assert all(0 < len(one.encode()) <= LONGEST_ID for one in made_ids)


def test_an_id_is_hashed_from_the_first_byte_that_is_too_many() -> None:
    room = LONGEST_ID - len(f"{PARTITION}#")
    assert document_id(PARTITION, "x" * room) == f"{PARTITION}#{'x' * room}"
    for name in ("x" * (room + 1), "é" * (room // 2 + 1)):
        hashed = document_id(PARTITION, name)
        assert hashed.startswith("~")
        assert len(hashed) == 65
        assert hashed != document_id(PARTITION, name[:-1] + "y")
        assert hashed != document_id("acme#other", name)


def test_a_frequency_is_a_whole_number_of_at_least_one() -> None:
    assert [frequency(weighted) for weighted in (0.0, 0.01, 0.125, 1.0, 2.5, 1e12)] == [
        1, 1, 1, 8, 20, 2**20,
    ]  # fmt: skip


def test_a_value_that_nothing_equals_has_no_token() -> None:
    for value in (None, float("nan"), "\ud800", (), object()):
        assert token("kind", value) is None
