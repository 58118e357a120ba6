"""`ObjectStore` over one S3 bucket that keeps versions."""

from collections.abc import Iterator
from contextlib import closing
from datetime import datetime
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from palimpsest.adapters.s3.client import (
    FAILED,
    FORBIDDEN,
    code_of,
    pieces,
    translated,
    translated_each,
)
from palimpsest.domain.byte_lines import lines_of
from palimpsest.domain.errors import NotFound
from palimpsest.domain.uploads import Upload, expiry

if TYPE_CHECKING:
    from botocore.response import StreamingBody
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_s3.type_defs import ListObjectVersionsOutputTypeDef, ObjectIdentifierTypeDef


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
            yield from lines_of(pieces(body))

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
        for page in translated_each(pages.paginate(Bucket=self._bucket, Prefix=prefix)):
            yield from (one["Key"] for one in page.get("Contents", []))

    def erase(self, prefix: str) -> int:
        """See `ObjectStore.erase`. A page of up to 1,000 versions is one request, and always the
        first one: no marker of a listing has to outlive what it names.
        """
        if not prefix:
            raise ValueError("an empty prefix would erase the whole bucket")
        erased = 0
        while versions := next(self._versions(prefix), None):
            removed(self._client, self._bucket, versions)
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
        for page in translated_each(pages.paginate(Bucket=self._bucket, Prefix=prefix)):
            if versions := _identifiers(page):
                yield versions


def removed(client: "S3Client", bucket: str, versions: "list[ObjectIdentifierTypeDef]") -> None:
    """Remove these versions for good. Raises what the first refusal among them is."""
    with translated():
        answer = client.delete_objects(Bucket=bucket, Delete={"Objects": versions, "Quiet": True})
        for refused in answer.get("Errors", []):
            status = 503 if refused.get("Code") in FAILED else 403
            told: Any = {"Error": refused, "ResponseMetadata": {"HTTPStatusCode": status}}
            raise ClientError(told, "DeleteObjects")


def _identifiers(page: "ListObjectVersionsOutputTypeDef") -> "list[ObjectIdentifierTypeDef]":
    found = [*page.get("Versions", []), *page.get("DeleteMarkers", [])]
    return [{"Key": one["Key"], "VersionId": one["VersionId"]} for one in found]
