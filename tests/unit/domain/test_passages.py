"""Passages: whole sentences around the words of a question, at most 500 characters."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.domain.passages import LENGTH, READ, passage

FILLER = "Filler goes here, on and on. "


def test_a_short_text_is_told_whole_with_its_white_space_folded() -> None:
    assert passage("  The ferry\n\nleaves at nine. ", "ferry") == "The ferry leaves at nine."


@pytest.mark.parametrize("length", [LENGTH, LENGTH + 1])
def test_what_just_fits_is_whole_and_what_does_not_is_cut(length: int) -> None:
    text = "ab. " * ((length - 1) // 4)
    text += "x" * (length - len(text))
    told = passage(text, "nothing of it")
    assert (told == text) == (length <= LENGTH)
    assert len(told) <= LENGTH


def test_the_sentences_with_the_words_of_the_question_are_told_from_border_to_border() -> None:
    text = FILLER * 40 + "The kestrel hovers. It hunts voles at dusk. " + FILLER * 40
    told = passage(text, "which voles does a kestrel hunt")
    assert "The kestrel hovers. It hunts voles at dusk." in told
    assert told.startswith("…Filler goes here")
    assert told.endswith("on and on.…")


def test_more_different_words_count_for_more_than_one_word_often() -> None:
    often = "A kestrel and a kestrel and a kestrel. "
    text = often * 5 + FILLER * 30 + "The kestrel hunts voles. " + FILLER * 30
    assert "hunts voles" in passage(text, "kestrel voles")


def test_without_a_word_of_the_question_it_is_the_beginning() -> None:
    assert passage("First of all. " + FILLER * 60, "zebra").startswith("First of all.")


def test_languages_without_spaces_have_sentences_too() -> None:
    text = "これは文章です。" * 100 + "鷹が空にいる。" + "これは文章です。" * 100
    told = passage(text, "鷹")
    assert "鷹が空にいる。" in told
    assert told.strip("…").startswith("これは文章です。")
    assert told.strip("…").endswith("これは文章です。")


def test_one_endless_word_is_cut_all_the_same() -> None:
    told = passage("x" * 3_000, "x")
    assert told.endswith("…")
    assert 100 < len(told) <= LENGTH


@pytest.mark.parametrize("text", ["", " \n ", "\x00", " " * (READ + 10)])
def test_a_text_without_any_word_gives_none(text: str) -> None:
    assert not passage(text, "x").strip("\x00…")


def test_what_lies_beyond_the_part_that_is_read_is_not_looked_for() -> None:
    told = passage(FILLER * (READ // len(FILLER) + 2) + "The kestrel.", "kestrel")
    assert "kestrel" not in told
    assert told.endswith("…")


WORDS = st.sampled_from(
    ["kestrel ", "voles. ", "on! ", "鷹。", "\n\n", "👩‍👩‍👧 ", "xé ", "a" * 300, "? "]
)


@given(text=st.lists(WORDS | st.text(max_size=30), max_size=300).map("".join))
def test_it_is_at_most_so_long_and_made_of_the_text(text: str) -> None:
    told = passage(text, "kestrel voles 鷹")
    assert len(told) <= LENGTH
    assert told.removeprefix("…").removesuffix("…").strip() in " ".join(text.split())
