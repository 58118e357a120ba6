from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.domain.instants import from_millis, from_text, to_millis, to_text, whole

instants = st.datetimes(
    min_value=datetime(1, 1, 2),  # noqa: DTZ001  # hypothesis wants naive bounds
    max_value=datetime(9999, 12, 30),  # noqa: DTZ001
    timezones=st.just(UTC),
).map(whole)


@given(instants)
def test_text_and_milliseconds_give_back_the_instant(instant: datetime) -> None:
    assert from_text(to_text(instant)) == instant
    assert from_millis(to_millis(instant)) == instant


@given(instants, instants)
def test_milliseconds_order_as_instants_do(left: datetime, right: datetime) -> None:
    assert (left < right) == (to_millis(left) < to_millis(right))


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("2026-01-01T09:00:00+09:00", "2026-01-01T00:00:00.000Z"),
        ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z"),
        ("9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"),
        ("2026-03-29T02:30:00+01:00", "2026-03-29T01:30:00.000Z"),
        ("2026-01-01T00:00:00.0009Z", "2026-01-01T00:00:00.000Z"),
    ],
)
def test_c11_an_instant_is_kept_in_utc_with_milliseconds(text: str, kept: str) -> None:
    assert to_text(from_text(text)) == kept


@pytest.mark.parametrize(
    "text", ["2026-01-01T00:00:00", "0001-01-01T00:00:00+01:00", "9999-12-31T23:59:59-01:00", "x"]
)
def test_naive_and_impossible_instants_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        from_text(text)


def test_milliseconds_outside_the_years_are_refused() -> None:
    with pytest.raises(ValueError, match="years"):
        from_millis(10**18)
    assert from_millis(-1) == datetime(1970, 1, 1, tzinfo=UTC) - timedelta(milliseconds=1)
