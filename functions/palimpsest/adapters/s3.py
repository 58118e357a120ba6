"""`ObjectStore` over one S3 bucket that keeps versions."""

import os
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

import boto3
from botocore.config import Config
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectTimeoutError,
    ReadTimeoutError,
)

from palimpsest.domain.byte_lines import lines_of
from palimpsest.domain.errors import (
    DeadlineExceeded,
    NotFound,
    PalimpsestError,
    Throttled,
    Unavailable,
)
from palimpsest.domain.uploads import Upload, expiry

if TYPE_CHECKING:
    from botocore.response import StreamingBody
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_s3.type_defs import ListObjectVersionsOutputTypeDef, ObjectIdentifierTypeDef

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
ABSENT = frozenset({"NoSuchKey", "404", "NotFound"})
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


class S3Objects:
    """`ObjectStore` over the bucket of that name."""

    def __init__(self, client: "S3Client", *, bucket: str) -> None:
        self._client = client
        self._bucket = bucket

    @property
    def bucket(self) -> str:
        """See `ObjectStore.bucket`."""
        return self._bucket

    def put(self, key: str, data: bytes) -> None:
        """See `ObjectStore.put`."""
        with translated():
            self._client.put_object(Bucket=self._bucket, Key=key, Body=data)

    def get(self, key: str) -> bytes:
        """See `ObjectStore.get`."""
        with closing(self._opened(key)) as body, translated():
            return body.read()

    def lines(self, key: str) -> Iterator[bytes]:
        """See `ObjectStore.lines`. One request, whose body is read as lines are asked for."""
        with closing(self._opened(key)) as body:
            yield from lines_of(_pieces(body))

    def size(self, key: str) -> int | None:
        """See `ObjectStore.size`. A listing, whose first key is the key itself if it is there: a
        HEAD is forbidden, not absent, for a role that may list some prefixes only.
        """
        with translated():
            found = self._client.list_objects_v2(Bucket=self._bucket, Prefix=key, MaxKeys=1)
        return next((one["Size"] for one in found.get("Contents", []) if one["Key"] == key), None)

    def keys(self, prefix: str) -> Iterator[str]:
        """See `ObjectStore.keys`."""
        pages = self._client.get_paginator("list_objects_v2")
        for page in _translated_each(pages.paginate(Bucket=self._bucket, Prefix=prefix)):
            yield from (one["Key"] for one in page.get("Contents", []))

    def erase(self, prefix: str) -> int:
        """See `ObjectStore.erase`. A page of up to 1,000 versions is one request, and always the
        first one: no marker of a listing has to outlive what it names.
        """
        if not prefix:
            raise ValueError("an empty prefix would erase the whole bucket")
        erased = 0
        while versions := next(self._versions(prefix), None):
            self._remove(versions)
            erased += len(versions)
        return erased

    def remains(self, prefix: str) -> int:
        """See `ObjectStore.remains`."""
        return sum(len(versions) for versions in self._versions(prefix))

    def upload_to(self, key: str, *, seconds: int, now: datetime) -> Upload:
        """See `ObjectStore.upload_to`. No header is signed, so the object's type is its sender's
        choice.
        """
        expires_at = expiry(now, seconds)
        with translated():  # no request: credentials may be missing
            url = self._client.generate_presigned_url(
                "put_object",
                Params={"Bucket": self._bucket, "Key": key},
                ExpiresIn=seconds,
                HttpMethod="PUT",
            )
        return Upload(method="PUT", url=url, headers={}, expires_at=expires_at)

    def _opened(self, key: str) -> "StreamingBody":
        """The body of the object, its first bytes not yet read."""
        try:
            with translated():
                return self._client.get_object(Bucket=self._bucket, Key=key)["Body"]
        except ClientError as error:
            # where a role may list some prefixes only, S3 forbids what is absent
            if code_of(error) in FORBIDDEN and self.size(key) is None:
                raise NotFound(f"no object {key}") from error
            raise

    def _versions(self, prefix: str) -> "Iterator[list[ObjectIdentifierTypeDef]]":
        """Versions and delete markers, page by page, none of them empty."""
        pages = self._client.get_paginator("list_object_versions")
        for page in _translated_each(pages.paginate(Bucket=self._bucket, Prefix=prefix)):
            if versions := _identifiers(page):
                yield versions

    def _remove(self, versions: "list[ObjectIdentifierTypeDef]") -> None:
        """Raises what the first refusal among them is."""
        with translated():
            answer = self._client.delete_objects(
                Bucket=self._bucket, Delete={"Objects": versions, "Quiet": True}
            )
            for refused in answer.get("Errors", []):
                status = 503 if refused.get("Code") in FAILED else 403
                told: Any = {"Error": refused, "ResponseMetadata": {"HTTPStatusCode": status}}
                raise ClientError(told, "DeleteObjects")


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


def _translated_each(pages: Iterable[T]) -> Iterator[T]:
    """The pages, the errors of asking for each translated."""
    asked = iter(pages)
    while True:
        with translated():
            page = next(asked, None)
        if page is None:
            return
        yield page


def _pieces(body: "StreamingBody") -> Iterator[bytes]:
    """The body, piece by piece; botocore compares its length and checksum at its end."""
    while True:
        with translated():
            piece = body.read(PIECE)
        if not piece:
            return
        yield piece


def _identifiers(page: "ListObjectVersionsOutputTypeDef") -> "list[ObjectIdentifierTypeDef]":
    found = [*page.get("Versions", []), *page.get("DeleteMarkers", [])]
    return [{"Key": one["Key"], "VersionId": one["VersionId"]} for one in found]
