from datetime import UTC, datetime, timedelta

import pytest

from palimpsest.domain.uploads import LONGEST_UPLOAD_SECONDS, expiry

NOW = datetime(2026, 6, 1, tzinfo=UTC)


@pytest.mark.parametrize("seconds", [1, LONGEST_UPLOAD_SECONDS])
def test_an_upload_ends_after_its_seconds(seconds: int) -> None:
    assert expiry(NOW, seconds) == NOW + timedelta(seconds=seconds)


@pytest.mark.parametrize("seconds", [0, -1, LONGEST_UPLOAD_SECONDS + 1])
def test_no_upload_is_good_for_no_time_or_for_more_than_a_week(seconds: int) -> None:
    with pytest.raises(ValueError, match="seconds"):
        expiry(NOW, seconds)
