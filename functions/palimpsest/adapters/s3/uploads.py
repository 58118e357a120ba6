"""`Uploads` over one S3 bucket that keeps versions."""

import shutil
from collections.abc import Iterator, Mapping
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from palimpsest.adapters.s3.client import PIECE, translated, translated_each
from palimpsest.adapters.s3.objects import removed
from palimpsest.domain.documents import ObjectVersion
from palimpsest.domain.errors import NotFound
from palimpsest.domain.uploads import Upload, expiry

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_s3.type_defs import ObjectIdentifierTypeDef

GRANT = "palimpsest-grant"
_UNVERSIONED = "null"


class S3Uploads:
    """`Uploads` over the bucket of that name. Its role may list the whole bucket: S3 tells nobody
    else that an object is absent.
    """

    def __init__(self, client: "S3Client", *, bucket: str) -> None:
        self._client = client
        self._bucket = bucket

    def seen(self, key: str) -> ObjectVersion | None:
        """See `Uploads.seen`: one HEAD."""
        try:
            with translated():
                head = self._client.head_object(Bucket=self._bucket, Key=key)
        except NotFound:
            return None
        return ObjectVersion(
            version=_version(head),
            etag=head["ETag"],
            bytes=head["ContentLength"],
            modified=head["LastModified"],
            content_type=head.get("ContentType"),
            grant=head.get("Metadata", {}).get(GRANT),
        )

    def fetch(self, key: str, version: ObjectVersion, *, to: Path) -> None:
        """See `Uploads.fetch`. In a bucket without versions another one may have come meanwhile."""
        versioned = not version.version.startswith('"')
        wanted: Any = {"VersionId": version.version} if versioned else {}
        with translated():
            answer = self._client.get_object(Bucket=self._bucket, Key=key, **wanted)
            with closing(answer["Body"]) as body, to.open("wb") as file:
                shutil.copyfileobj(body, file, PIECE)
        if _version(answer) != version.version:
            to.unlink()
            raise NotFound("that version is gone")

    def keys(self, prefix: str) -> Iterator[tuple[str, str]]:
        """See `Uploads.keys`."""
        pages = self._client.get_paginator("list_objects_v2")
        for page in translated_each(pages.paginate(Bucket=self._bucket, Prefix=prefix)):
            yield from ((one["Key"], one["ETag"]) for one in page.get("Contents", []))

    def place(
        self, key: str, *, content_type: str | None, grant: str | None, seconds: int, now: datetime
    ) -> Upload:
        """See `Uploads.place`. The headers are signed: the upload is refused without them."""
        wanted: dict[str, Any] = {"Bucket": self._bucket, "Key": key}
        headers: dict[str, str] = {}
        if content_type is not None:
            wanted["ContentType"] = headers["Content-Type"] = content_type
        if grant is not None:
            wanted["Metadata"] = {GRANT: grant}
            headers[f"x-amz-meta-{GRANT}"] = grant
        expires_at = expiry(now, seconds)
        with translated():
            url = self._client.generate_presigned_url(
                "put_object", Params=wanted, ExpiresIn=seconds, HttpMethod="PUT"
            )
        return Upload(method="PUT", url=url, headers=headers, expires_at=expires_at)

    def erase(self, key: str, *, before: datetime) -> int:
        """See `Uploads.erase`."""
        erased = 0
        while versions := next(self._old(key, before), None):
            removed(self._client, self._bucket, versions)
            erased += len(versions)
        return erased

    def remains(self, key: str, *, before: datetime) -> int:
        """See `Uploads.remains`."""
        return sum(map(len, self._old(key, before)))

    def _old(self, key: str, before: datetime) -> "Iterator[list[ObjectIdentifierTypeDef]]":
        """Versions and delete markers from before an instant, page by page, none of them empty."""
        pages = self._client.get_paginator("list_object_versions")
        for page in translated_each(pages.paginate(Bucket=self._bucket, Prefix=key)):
            old: list[ObjectIdentifierTypeDef] = [
                {"Key": one["Key"], "VersionId": one["VersionId"]}
                for one in (*page.get("Versions", []), *page.get("DeleteMarkers", []))
                if one["LastModified"] < before and (key.endswith("/") or one["Key"] == key)
            ]
            if old:
                yield old


def _version(answer: Mapping[str, Any]) -> str:
    """What tells this object from every other one of its key: its version, or where the bucket
    keeps none its entity tag (in quotes) with its time.
    """
    version = answer.get("VersionId", _UNVERSIONED)
    if version != _UNVERSIONED:
        return str(version)
    return f"{answer['ETag']} {int(answer['LastModified'].timestamp())}"
