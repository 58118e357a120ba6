"""Every object store against the contract."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING
from urllib.parse import unquote

import boto3
import pytest
import requests
from moto import mock_aws

from contract.object_store_contract import ObjectStoreContract
from palimpsest.adapters.memory_objects import MemoryObjects
from palimpsest.adapters.s3.client import make_client
from palimpsest.adapters.s3.objects import S3Objects
from palimpsest.domain.uploads import Upload
from template_buckets import create_bucket

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client


class TestMemory(ObjectStoreContract):
    @pytest.fixture
    def store(self) -> MemoryObjects:
        return MemoryObjects()

    @pytest.fixture
    def deleted(self, store: MemoryObjects) -> Callable[[str], None]:
        return store.mark_deleted

    @pytest.fixture
    def sent(self, store: MemoryObjects) -> Callable[[Upload, bytes], None]:
        def sent(upload: Upload, data: bytes) -> None:
            store.put(unquote(upload.url.removeprefix(f"memory://{store.bucket}/")), data)

        return sent


class TestS3(ObjectStoreContract):
    """In the bucket that the template describes."""

    @pytest.fixture
    def client(
        self, aws_session: boto3.Session, monkeypatch: pytest.MonkeyPatch
    ) -> "Iterator[S3Client]":
        with mock_aws():
            monkeypatch.setattr(boto3, "DEFAULT_SESSION", aws_session)
            yield make_client()

    @pytest.fixture
    def store(self, client: "S3Client") -> S3Objects:
        return S3Objects(client, bucket=create_bucket(client, "UploadsBucket"))

    @pytest.fixture
    def deleted(self, store: S3Objects, client: "S3Client") -> Callable[[str], None]:
        return lambda key: client.delete_object(Bucket=store.bucket, Key=key) and None

    @pytest.fixture
    def sent(self) -> Callable[[Upload, bytes], None]:
        def sent(upload: Upload, data: bytes) -> None:
            answer = requests.request(
                upload.method, upload.url, data=data, headers=dict(upload.headers), timeout=5
            )
            assert answer.status_code == 200

        return sent
