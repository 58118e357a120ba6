"""Instants: UTC-aware datetimes with milliseconds, as text and as epoch milliseconds."""

from datetime import UTC, datetime, timedelta

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


def to_text(instant: datetime) -> str:
    """RFC 3339 in UTC with milliseconds and `Z`; four digits for the year, whatever it is."""
    return instant.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"


def from_text(text: str) -> datetime:
    """The inverse of `to_text`, also for other offsets. Naive or impossible text raises
    `ValueError`.
    """
    instant = datetime.fromisoformat(text)
    if instant.tzinfo is None:
        msg = "an instant needs an offset"
        raise ValueError(msg)
    try:
        return whole(instant.astimezone(UTC))
    except OverflowError as error:
        msg = "outside the years 1 to 9999"
        raise ValueError(msg) from error


def whole(instant: datetime) -> datetime:
    """The instant cut to whole milliseconds, which is how instants are stored and compared."""
    return instant.replace(microsecond=instant.microsecond // 1000 * 1000)


def to_millis(instant: datetime) -> int:
    """Milliseconds since 1970-01-01T00:00:00Z, exact."""
    return (instant - EPOCH) // _MILLISECOND


def from_millis(millis: int) -> datetime:
    """The inverse of `to_millis`; outside the years 1 to 9999 raises `ValueError`."""
    try:
        return EPOCH + timedelta(milliseconds=millis)
    except OverflowError as error:
        msg = "outside the years 1 to 9999"
        raise ValueError(msg) from error
