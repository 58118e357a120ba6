"""What every place of uploads does: that of memory, and S3's."""

import hashlib
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import boto3
import pytest
from moto import mock_aws

import template_buckets
from palimpsest.adapters.memory_uploads import MemoryUploads
from palimpsest.adapters.s3.client import make_client
from palimpsest.adapters.s3.uploads import S3Uploads
from palimpsest.adapters.system import SystemClock
from palimpsest.domain.errors import NotFound
from palimpsest.ports import Uploads

KEY = "uploads/acme/notes/a b+c%2F語.txt"
LATER = timedelta(seconds=2)
Put = Callable[..., object]


class UploadsContract:
    def test_what_was_put_is_seen_with_what_tells_it_from_others(
        self, uploads: Uploads, put: Put
    ) -> None:
        assert uploads.seen(KEY) is None
        put(KEY, b"one", content_type="text/plain")
        first = uploads.seen(KEY)
        assert first is not None
        assert (first.bytes, first.content_type, first.grant) == (3, "text/plain", None)
        assert abs(datetime.now(UTC) - first.modified) < timedelta(minutes=1)
        digest = hashlib.md5(b"one", usedforsecurity=False).hexdigest()
        assert first.etag == f'"{digest}"'
        put(KEY, b"one", content_type="text/plain")
        again = uploads.seen(KEY)
        assert again is not None
        assert again.version != first.version
        assert again.etag == first.etag

    def test_each_version_is_fetched_as_it_was(
        self, uploads: Uploads, put: Put, tmp_path: Path
    ) -> None:
        put(KEY, b"one")
        first = uploads.seen(KEY)
        put(KEY, b"two")
        second = uploads.seen(KEY)
        assert first is not None
        assert second is not None
        for version, data in ((first, b"one"), (second, b"two")):
            uploads.fetch(KEY, version, to=tmp_path / "file")
            assert (tmp_path / "file").read_bytes() == data

    def test_what_was_deleted_is_not_seen(
        self, uploads: Uploads, put: Put, delete: Callable[[str], None]
    ) -> None:
        put(KEY, b"one")
        delete(KEY)
        assert uploads.seen(KEY) is None
        assert list(uploads.keys("uploads/")) == []

    def test_a_version_that_was_erased_cannot_be_fetched(
        self, uploads: Uploads, put: Put, tmp_path: Path
    ) -> None:
        put(KEY, b"one")
        first = uploads.seen(KEY)
        assert first is not None
        assert uploads.erase(KEY, before=first.modified + LATER) == 1
        assert uploads.seen(KEY) is None
        with pytest.raises(NotFound):
            uploads.fetch(KEY, first, to=tmp_path / "file")

    def test_keys_are_told_in_order_with_their_tags(self, uploads: Uploads, put: Put) -> None:
        names = [f"uploads/acme/notes/{n}" for n in ("b", "a/x", "a", "語", "Z")]
        for name in names:
            put(name, name.encode())
        put("uploads/other/notes/a", b"x")
        found = list(uploads.keys("uploads/acme/"))
        assert [key for key, _ in found] == sorted(names, key=str.encode)
        assert all(tag == uploads.seen(key).etag for key, tag in found)  # type: ignore[union-attr]

    def test_erasing_takes_every_version_of_one_key_and_of_all_below_one(
        self, uploads: Uploads, put: Put, delete: Callable[[str], None]
    ) -> None:
        for name in ("a", "a", "a.txt", "d/x", "d/y/z", "d2/x"):
            put(f"uploads/acme/notes/{name}", b"x")
        delete("uploads/acme/notes/a")
        later = datetime.now(UTC) + LATER
        early = datetime.now(UTC) - timedelta(days=1)
        assert uploads.remains("uploads/acme/notes/a", before=later) == 3
        assert uploads.erase("uploads/acme/notes/a", before=early) == 0
        assert uploads.erase("uploads/acme/notes/a", before=later) == 3
        assert uploads.erase("uploads/acme/notes/d/", before=later) == 2
        assert uploads.erase("uploads/acme/notes/d/", before=later) == 0
        left = [key.rpartition("notes/")[2] for key, _ in uploads.keys("uploads/")]
        assert left == ["a.txt", "d2/x"]

    def test_a_place_signs_type_and_grant(self, uploads: Uploads) -> None:
        now = datetime(2026, 6, 1, tzinfo=UTC)
        place = uploads.place(KEY, content_type="text/plain", grant="g1", seconds=60, now=now)
        assert place.method == "PUT"
        assert dict(place.headers) == {
            "Content-Type": "text/plain",
            "x-amz-meta-palimpsest-grant": "g1",
        }
        assert place.expires_at == now + timedelta(seconds=60)
        bare = uploads.place(KEY, content_type=None, grant=None, seconds=60, now=now)
        assert dict(bare.headers) == {}


class TestMemory(UploadsContract):
    @pytest.fixture
    def uploads(self) -> MemoryUploads:
        return MemoryUploads(SystemClock())

    @pytest.fixture
    def put(self, uploads: MemoryUploads) -> Put:
        return uploads.put

    @pytest.fixture
    def delete(self, uploads: MemoryUploads) -> Callable[[str], None]:
        return uploads.delete


class TestS3(UploadsContract):
    @pytest.fixture
    def bucket(self) -> Iterator[str]:
        with mock_aws():
            yield template_buckets.create_bucket(boto3.client("s3"), "UploadsBucket")

    @pytest.fixture
    def uploads(self, bucket: str) -> S3Uploads:
        return S3Uploads(make_client(), bucket=bucket)

    @pytest.fixture
    def put(self, bucket: str) -> Put:
        def put(key: str, data: bytes, *, content_type: str | None = None) -> None:
            told: Any = {"ContentType": content_type} if content_type else {}
            boto3.client("s3").put_object(Bucket=bucket, Key=key, Body=data, **told)

        return put

    @pytest.fixture
    def delete(self, bucket: str) -> Callable[[str], None]:
        return lambda key: boto3.client("s3").delete_object(Bucket=bucket, Key=key) and None

    @pytest.mark.usefixtures("bucket")
    def test_a_bucket_without_versions_tells_objects_by_tag_and_time(self, tmp_path: Path) -> None:
        s3 = boto3.client("s3")
        s3.create_bucket(Bucket="plain")
        s3.put_object(Bucket="plain", Key=KEY, Body=b"one")
        plain = S3Uploads(make_client(), bucket="plain")
        first = plain.seen(KEY)
        assert first is not None
        plain.fetch(KEY, first, to=tmp_path / "file")
        s3.put_object(Bucket="plain", Key=KEY, Body=b"two")
        with pytest.raises(NotFound):
            plain.fetch(KEY, first, to=tmp_path / "other")
        assert not (tmp_path / "other").exists()
