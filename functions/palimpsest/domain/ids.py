"""Generated record ids: UUIDs of version 7, which grow with time."""

import uuid

_NANOS_IN_MILLI = 1_000_000


def uuid7(nanoseconds: int, random_bits: int) -> str:
    """The UUID of an instant (nanoseconds of the Unix epoch) with 62 random bits.

    Layout: RFC 9562 section 5.7; the 12 bits after the version are the fraction of the millisecond
    (section 6.2, method 3), so ids made one after another in one process are in order.
    """
    millis, rest = divmod(nanoseconds, _NANOS_IN_MILLI)
    fraction = (rest << 12) // _NANOS_IN_MILLI
    value = (millis & (2**48 - 1)) << 80 | 0x7 << 76 | fraction << 64
    value |= 0b10 << 62 | random_bits & (2**62 - 1)
    return str(uuid.UUID(int=value))
