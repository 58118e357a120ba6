import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.api.cursors import Cursors
from palimpsest.domain.errors import CursorMismatch

SEALING = Cursors(lambda: b"k" * 32)
PLACES = st.lists(st.integers(0, 2**53) | st.text(max_size=40), max_size=4)
BOUND = st.lists(st.none() | st.integers() | st.text(max_size=20), max_size=5)


@given(PLACES, BOUND)
def test_a_cursor_opens_to_its_place_for_the_same_request(
    place: list[int | str], bound: list[str | int | None]
) -> None:
    assert SEALING.open(SEALING.seal(place, *bound), *bound) == place


@given(PLACES, BOUND, BOUND)
def test_it_does_not_open_for_another_request_or_under_another_key(
    place: list[int | str], bound: list[str | int | None], other: list[str | int | None]
) -> None:
    cursor = SEALING.seal(place, *bound)
    if other != bound:
        with pytest.raises(CursorMismatch):
            SEALING.open(cursor, *other)
    with pytest.raises(CursorMismatch):
        Cursors(lambda: b"x" * 32).open(cursor, *bound)


@given(st.text(max_size=200))
def test_what_is_no_cursor_does_not_open(text: str) -> None:
    with pytest.raises(CursorMismatch):
        SEALING.open(text)


def test_a_cursor_that_was_lengthened_or_turned_somewhere_does_not_open() -> None:
    cursor = SEALING.seal((7, 3, 1), "t")
    for place in range(len(cursor)):
        turned = "A" if cursor[place] != "A" else "B"
        with pytest.raises(CursorMismatch):
            SEALING.open(cursor[:place] + turned + cursor[place + 1 :], "t")
    for longer in (f"{cursor}A", f"{cursor}AAAA", cursor * 200, f" {cursor}", f"{cursor}\n"):
        with pytest.raises(CursorMismatch):
            SEALING.open(longer, "t")


def test_a_cursor_does_not_show_the_place_it_names() -> None:
    name = "secret-namespace-of-somebody"
    cursor = SEALING.seal((name,), "t")
    sealed = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
    assert name.encode() not in sealed
    assert SEALING.seal((name,), "t") == cursor
    assert SEALING.seal((name,), "u") != cursor
