from hypothesis import given
from hypothesis import strategies as st

from palimpsest.domain.snippets import LENGTH, snippet

FILLER = "The committee met on a Tuesday and agreed on nothing much at all. "


def test_a_short_text_is_its_own_snippet_with_white_space_folded() -> None:
    assert snippet("  The heron\n nests\tby the weir. ", "heron") == "The heron nests by the weir."


def test_a_long_text_shows_the_part_that_has_the_words_asked_for() -> None:
    text = FILLER * 20 + "The espresso machine is repaired by Ivo. " + FILLER * 20
    shown = snippet(text, "who repairs the espresso machine?")
    assert "espresso machine is repaired by Ivo" in shown
    assert shown.startswith("…")
    assert shown.endswith("…")
    assert len(shown) <= LENGTH


def test_the_densest_cluster_of_words_wins_over_the_first() -> None:
    text = "A machine hums. " + FILLER * 10 + "The espresso machine leaks water. " + FILLER * 10
    assert "espresso machine leaks water" in snippet(text, "espresso machine water")


def test_without_any_of_the_words_the_beginning_is_shown() -> None:
    shown = snippet(FILLER * 20, "pangolin")
    assert shown.startswith("The committee met")
    assert shown.endswith("…")
    assert not shown.removesuffix("…").endswith(" ")


def test_a_text_without_spaces_is_cut_anywhere() -> None:
    shown = snippet("検索" * 400 + "成語しりとり" + "試験" * 400, "しりとり")
    assert "しりとり" in shown
    assert len(shown) <= LENGTH


def test_a_cluster_at_the_end_leaves_no_ellipsis_behind_it() -> None:
    shown = snippet(FILLER * 10 + "It ends with the lighthouse keeper.", "lighthouse keeper")
    assert shown.endswith("lighthouse keeper.")


@given(st.text(max_size=900), st.text(max_size=40))
def test_a_snippet_is_never_longer_than_its_limit(text: str, query: str) -> None:
    assert len(snippet(text, query)) <= LENGTH


def test_a_word_that_stands_twice_counts_while_one_of_them_is_in_sight() -> None:
    text = "A machine hums" + "." * 90 + " the machine " + "." * 160 + " leaks water " + FILLER * 10
    shown = snippet(text, "machine water")
    assert "the machine" in shown
    assert "leaks water" in shown
