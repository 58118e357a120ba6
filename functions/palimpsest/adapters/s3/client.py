"""The S3 client as these adapters use it, and the translation of its errors."""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

import boto3
from botocore.config import Config
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectTimeoutError,
    ReadTimeoutError,
)

from palimpsest.domain.errors import (
    DeadlineExceeded,
    NotFound,
    PalimpsestError,
    Throttled,
    Unavailable,
)

if TYPE_CHECKING:
    from botocore.response import StreamingBody
    from mypy_boto3_s3 import S3Client

STAGE = "objects"
THROTTLED = frozenset(
    {
        "BandwidthLimitExceeded",
        "RequestLimitExceeded",
        "SlowDown",
        "Throttling",
        "ThrottlingException",
        "TooManyRequests",
        "TooManyRequestsException",
    }
)
TIMED_OUT = frozenset({"RequestTimeout", "RequestTimeoutException"})
ABSENT = frozenset({"NoSuchKey", "NoSuchVersion", "404", "NotFound"})
FORBIDDEN = frozenset({"AccessDenied", "403", "Forbidden"})
FAILED = frozenset({"InternalError", "ServiceUnavailable"})
TIMEOUTS = (ConnectTimeoutError, ReadTimeoutError)
PIECE = 256 * 1024
T = TypeVar("T")


def make_client(*, attempts: int = 3) -> "S3Client":
    """A client whose calls end well before a function's time-out. Its presigned addresses name the
    bucket's own region, which never redirects; at an endpoint of one's own the bucket stands in
    the path, since no name leads to it.
    """
    own = os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL")
    return boto3.client(
        "s3",
        config=Config(
            connect_timeout=1,
            read_timeout=4,
            max_pool_connections=16,
            retries={"total_max_attempts": attempts, "mode": "standard"},
            tcp_keepalive=True,
            signature_version="s3v4",
            s3={
                "addressing_style": "path" if own else "virtual",
                "us_east_1_regional_endpoint": "regional",
            },
        ),
    )


def code_of(error: ClientError) -> str:
    """The error code of an answer."""
    return str(error.response.get("Error", {}).get("Code", ""))


@contextmanager
def translated() -> Iterator[None]:
    """Vendor errors as the domain's: absence, throttling, time-outs, outages. Programming errors
    and refusals pass as they are.
    """
    try:
        yield
    except PalimpsestError:
        raise
    except TIMEOUTS as error:
        raise DeadlineExceeded("the bucket did not answer in time", stage=STAGE) from error
    except ClientError as error:
        _raise_answered(error)
        raise
    except BotoCoreError as error:  # a broken body and a wrong checksum too
        raise Unavailable("the bucket cannot be reached", stage=STAGE) from error


def _raise_answered(error: ClientError) -> None:
    """The domain's error for an answer that is one; nothing for a refusal."""
    code = code_of(error)
    if code in ABSENT:
        raise NotFound("no such object") from error
    if code in THROTTLED:
        raise Throttled("the bucket asks for patience") from error
    if code in TIMED_OUT:
        raise DeadlineExceeded("the bucket waited in vain", stage=STAGE) from error
    status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 500)
    if status >= 500:  # noqa: PLR2004  # server errors of HTTP
        raise Unavailable("the bucket failed", stage=STAGE) from error


def translated_each(pages: Iterable[T]) -> Iterator[T]:
    """The pages, the errors of asking for each translated."""
    asked = iter(pages)
    while True:
        with translated():
            page = next(asked, None)
        if page is None:
            return
        yield page


def pieces(body: "StreamingBody") -> Iterator[bytes]:
    """The body, piece by piece; botocore compares its length and checksum at its end."""
    while True:
        with translated():
            piece = body.read(PIECE)
        if not piece:
            return
        yield piece
