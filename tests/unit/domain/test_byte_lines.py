from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.domain.byte_lines import LONGEST_LINE, lines_of
from palimpsest.domain.errors import InvalidRequest

TEXT = st.lists(st.sampled_from([b"a", b"b", b"\n", b"\r", b"\r\n", b"\xff"])).map(b"".join)


@given(TEXT, st.lists(st.integers(0, 40)))
def test_lines_do_not_depend_on_where_the_pieces_are_cut(text: bytes, cuts: list[int]) -> None:
    ends = [0, *sorted(cuts), len(text)]
    pieces = [text[a:b] for a, b in pairwise(ends)]
    assert list(lines_of(pieces)) == list(lines_of([text]))


@given(TEXT)
def test_lines_joined_again_are_the_text_but_for_its_line_ends(text: bytes) -> None:
    lines = [line.removesuffix(b"\r") for line in text.split(b"\n")]
    if text.endswith(b"\n") or not text:
        lines.pop()
    assert list(lines_of([text])) == lines


@pytest.mark.parametrize("more", [b"x\nb", b"xx", b"x\r\r\nb", b"x" * LONGEST_LINE])
def test_a_line_that_is_too_long_is_refused_before_its_end_is_seen(more: bytes) -> None:
    lines = lines_of([b"a\n" + b"x" * LONGEST_LINE, more])
    assert next(lines) == b"a"
    with pytest.raises(InvalidRequest) as caught:
        next(lines)
    assert caught.value.errors[0].loc == ("line", 2)
