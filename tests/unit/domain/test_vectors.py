import math
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.domain.errors import EmbeddingRejected
from palimpsest.domain.vectors import from_float16, text_hash, to_float16, unit


@given(st.lists(st.floats(-1e300, 1e300), min_size=3, max_size=3).filter(any))
def test_a_usable_vector_has_unit_length(values: list[float]) -> None:
    vector = unit(values, dimension=3)
    assert math.isclose(math.fsum(v * v for v in vector), 1.0, abs_tol=1e-9)


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ([0, 0, 0], "zero"),
        ([0.0, math.nan, 1], "not_finite"),
        ([math.inf, 0, 1], "not_finite"),
        (["1", 0, 1], "not_finite"),
        ([None, 0, 1], "not_finite"),
        ([True, 0, 1], "not_finite"),
        ([10**400, 0, 1], "not_finite"),
        ([1, 2], "wrong_width"),
        ([1, 2, 3, 4], "wrong_width"),
    ],
)
def test_b2_what_is_no_vector_is_refused_with_its_reason(values: list[object], reason: str) -> None:
    with pytest.raises(EmbeddingRejected) as raised:
        unit(values, dimension=3)
    assert raised.value.reason == reason


def test_every_finite_float16_code_survives_the_round_trip() -> None:
    for code in range(65_536):
        (value,) = struct.unpack("<e", struct.pack("<H", code))
        if math.isfinite(value):
            assert struct.pack("<e", value) == struct.pack("<H", code)


def test_float16_rounds_to_nearest_even() -> None:
    halfway = 1 + 2**-11
    assert to_float16((halfway,)) == struct.pack("<e", 1.0)
    assert to_float16((1 + 3 * 2**-11,)) == struct.pack("<e", 1 + 2**-9)


def test_a_payload_of_another_length_or_without_direction_is_skipped() -> None:
    assert from_float16(b"\0\0\0", dimension=2) is None
    assert from_float16(b"\0\0\0\0", dimension=2) is None
    assert from_float16(struct.pack("<2e", math.nan, 1), dimension=2) is None


def test_a_held_vector_is_the_one_that_was_kept() -> None:
    vector = unit([0.3, -0.4, 0.5], dimension=3)
    kept = from_float16(to_float16(vector), dimension=3)
    assert kept is not None
    assert all(math.isclose(a, b, abs_tol=1e-3) for a, b in zip(vector, kept, strict=True))


def test_texts_that_differ_have_different_hashes() -> None:
    assert text_hash("a") != text_hash("a ")
    assert len(text_hash("a")) == 32
