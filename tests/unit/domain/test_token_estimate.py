import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.domain.token_estimate import TokenEstimate

count = TokenEstimate().count


@given(st.lists(st.text(max_size=40), max_size=5))
def test_each_text_has_a_count_and_only_nothing_has_none(texts: list[str]) -> None:
    counts = count(texts)
    assert [number == 0 for number in counts] == [text == "" for text in texts]


@given(st.text(max_size=40), st.text(max_size=40))
def test_texts_together_never_have_fewer_tokens_than_one_of_them(one: str, other: str) -> None:
    whole, begin, end = count([one + other, one, other])
    assert max(begin, end) <= whole <= begin + end + 1


@given(st.text(max_size=40))
def test_no_text_is_told_more_than_four_tokens_a_character(text: str) -> None:
    assert count([text])[0] <= 4 * len(text)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("the kiln is fired overnight when power is cheap", 12),
        ("QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo0NTY3ODkr", 32),
        ("3f2504e04f8941d39a0c0305e82c3301", 29),
        ("窑炉在夜间烧制", 10),
        ("가마는 밤새 굽는다", 12),
        ("👍🎉", 7),
    ],
)
def test_what_is_not_prose_is_told_more(text: str, tokens: int) -> None:
    assert count([text]) == [tokens]


def test_broken_characters_are_counted_too() -> None:
    assert count(["\ud800\0"]) == [3]
