"""A place that takes one object from outside, for a while."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """The one request that puts the object there: `method` to `url` with these `headers`, before
    `expires_at`. Whoever has the url needs no credentials.
    """

    method: str
    url: str
    headers: Mapping[str, str]
    expires_at: datetime


LONGEST_UPLOAD_SECONDS = 7 * 24 * 3600
"""https://docs.aws.amazon.com/AmazonS3/latest/userguide/using-presigned-url.html"""


def expiry(now: datetime, seconds: int) -> datetime:
    """When an upload that begins `now` ends. Raises `ValueError` unless it is good for 1 second to
    a week.
    """
    if not 0 < seconds <= LONGEST_UPLOAD_SECONDS:
        raise ValueError(f"{seconds} seconds: 1 to {LONGEST_UPLOAD_SECONDS} are possible")
    return now + timedelta(seconds=seconds)
