import uuid

from hypothesis import given
from hypothesis import strategies as st

from palimpsest.domain.ids import uuid7

NANOS = st.integers(0, 2**48 * 1_000_000 - 1)
BITS = st.integers(0, 2**62 - 1)


@given(NANOS, BITS)
def test_an_id_is_a_uuid_of_version_7_that_tells_its_millisecond(nanos: int, bits: int) -> None:
    made = uuid.UUID(uuid7(nanos, bits))
    assert (made.version, made.variant) == (7, uuid.RFC_4122)
    assert made.int >> 80 == nanos // 1_000_000
    assert made.int & (2**62 - 1) == bits


@given(NANOS, BITS, BITS)
def test_ids_made_a_quarter_of_a_microsecond_apart_are_in_order(
    nanos: int, first: int, second: int
) -> None:
    earlier, later = uuid7(nanos, first), uuid7(nanos + 250, second)
    assert earlier < later or nanos + 250 >= 2**48 * 1_000_000
