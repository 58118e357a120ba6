"""What the S3 adapter makes of failures. botocore is the real one, its tries and checks too; what
it would send is answered in this process.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from botocore.exceptions import (
    ClientError,
    ConnectTimeoutError,
    EndpointConnectionError,
    NoCredentialsError,
    ReadTimeoutError,
)
from urllib3.exceptions import ProtocolError
from urllib3.exceptions import ReadTimeoutError as BodyTimeout

from palimpsest.adapters.s3.client import make_client
from palimpsest.adapters.s3.objects import S3Objects
from palimpsest.domain.errors import (
    DeadlineExceeded,
    NotFound,
    PalimpsestError,
    Throttled,
    Unavailable,
)
from unit.adapters.scripted_aws import Body, Reply, Scripted, at_once

__all__ = ["at_once"]
pytestmark = pytest.mark.usefixtures("at_once")

XML = '<?xml version="1.0" encoding="UTF-8"?>\n'
CALLS: list[Callable[[S3Objects], Any]] = [
    lambda store: store.put("work/a", b"x"),
    lambda store: store.get("work/a"),
    lambda store: list(store.lines("work/a")),
    lambda store: store.size("work/a"),
    lambda store: list(store.keys("work/")),
    lambda store: store.erase("work/"),
    lambda store: store.remains("work/"),
]
NAMES = ["put", "get", "lines", "size", "keys", "erase", "remains"]


def scripted(*replies: Reply | Exception) -> tuple[S3Objects, Scripted]:
    script = Scripted(make_client, *replies)
    return S3Objects(script.client, bucket="bucket"), script


def refusal(status: int, code: str) -> Reply:
    return status, {}, f"{XML}<Error><Code>{code}</Code><Message>no</Message></Error>".encode()


def listing(kind: str, *entries: str, more: str = "") -> Reply:
    body = f"{XML}<{kind}><IsTruncated>{str(bool(more)).lower()}</IsTruncated>{more}"
    return 200, {}, f"{body}{''.join(entries)}</{kind}>".encode()


def version(key: str) -> str:
    return f"<Version><Key>{key}</Key><VersionId>{key}-1</VersionId></Version>"


def removal(*errors: tuple[str, str]) -> Reply:
    told = "".join(f"<Error><Key>{k}</Key><Code>{c}</Code></Error>" for k, c in errors)
    return 200, {}, f"{XML}<DeleteResult>{told}</DeleteResult>".encode()


@pytest.mark.parametrize("call", CALLS, ids=NAMES)
@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (refusal(503, "SlowDown"), Throttled),
        (refusal(429, "TooManyRequests"), Throttled),
        (refusal(503, "ServiceUnavailable"), Unavailable),
        (refusal(500, "InternalError"), Unavailable),
        (refusal(400, "RequestTimeout"), DeadlineExceeded),
        (ConnectTimeoutError(endpoint_url="here"), DeadlineExceeded),
        (ReadTimeoutError(endpoint_url="here"), DeadlineExceeded),
        (EndpointConnectionError(endpoint_url="here"), Unavailable),
        (NoCredentialsError(), Unavailable),
    ],
    ids=str,
)
def test_a_failure_becomes_an_error_of_its_kind(
    call: Callable[[S3Objects], Any], reply: Reply | Exception, error: type[PalimpsestError]
) -> None:
    store, _ = scripted(reply)
    with pytest.raises(error) as caught:
        call(store)
    assert type(caught.value) is error
    assert getattr(caught.value, "stage", "objects") == "objects"


@pytest.mark.parametrize("call", CALLS, ids=NAMES)
def test_a_refusal_is_nobodys_outage(call: Callable[[S3Objects], Any]) -> None:
    forbidden = refusal(403, "AccessDenied")
    store, script = scripted(forbidden)
    with pytest.raises(ClientError, match="AccessDenied"):
        call(store)
    assert len(script.requests) <= 2


def test_what_fails_once_is_tried_again() -> None:
    store, script = scripted(
        refusal(503, "SlowDown"), ReadTimeoutError(endpoint_url="here"), (200, {}, b"")
    )
    store.put("work/a", b"x")
    assert len(script.requests) == 3


def test_a_call_is_tried_three_times_at_most() -> None:
    store, script = scripted(refusal(503, "SlowDown"))
    with pytest.raises(Throttled):
        store.put("work/a", b"x")
    assert len(script.requests) == 3


class Breaking(Body):
    """A body that fails behind its last byte."""

    def __init__(self, data: bytes, failure: Exception) -> None:
        super().__init__(data)
        self._failure = failure

    def read(self, size: int | None = -1, /, **_: object) -> bytes:
        data = super().read(size)
        if not data or size is None or size < 0:
            raise self._failure
        return data


@pytest.mark.parametrize(
    ("failure", "error"),
    [
        (None, Unavailable),
        (ProtocolError("reset"), Unavailable),
        (BodyTimeout(None, "here", "slow"), DeadlineExceeded),  # type: ignore[arg-type]
    ],
    ids=["short", "reset", "slow"],
)
def test_a_body_that_breaks_off_is_never_a_shorter_object(
    failure: Exception | None, error: type[Unavailable]
) -> None:
    def broken() -> S3Objects:
        body = Breaking(b"a\nb\n", failure) if failure else Body(b"a\nb\n")
        return scripted((200, {"Content-Length": "1000"}, body))[0]

    with pytest.raises(error) as caught:
        broken().get("lists/a")
    assert type(caught.value) is error
    read = broken().lines("lists/a")
    assert [next(read), next(read)] == [b"a", b"b"]
    with pytest.raises(error) as caught:
        next(read)
    assert type(caught.value) is error
    assert caught.value.stage == "objects"


def test_a_body_with_a_wrong_checksum_is_an_outage() -> None:
    headers = {"Content-Length": "4", "x-amz-checksum-crc32": "AAAAAA=="}
    store, _ = scripted((200, headers, b"a\nb\n"))
    with pytest.raises(Unavailable):
        list(store.lines("lists/a"))


def test_what_a_role_may_not_know_of_is_absent_if_the_listing_says_so() -> None:
    store, script = scripted(refusal(403, "AccessDenied"), listing("ListBucketResult"))
    with pytest.raises(NotFound):
        store.get("work/a")
    assert "list-type=2&prefix=work%2Fa" in script.requests[1].url


def test_what_a_role_may_not_read_is_not_absent() -> None:
    there = "<Contents><Key>work/a</Key><Size>1</Size></Contents>"
    store, _ = scripted(refusal(403, "AccessDenied"), listing("ListBucketResult", there))
    with pytest.raises(ClientError, match="AccessDenied"):
        store.get("work/a")


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("SlowDown", Throttled),
        ("InternalError", Unavailable),
        ("ServiceUnavailable", Unavailable),
        ("AccessDenied", ClientError),
    ],
)
def test_an_erasure_that_was_refused_in_part_is_no_success(
    code: str, error: type[Exception]
) -> None:
    found = listing("ListVersionsResult", version("work/a"), version("work/b"))
    store, _ = scripted(found, removal(("work/b", code)))
    with pytest.raises(error):
        store.erase("work/")


def test_a_page_of_a_listing_that_fails_fails_the_listing() -> None:
    first = "<Contents><Key>work/a</Key><Size>1</Size></Contents>"
    more = "<NextContinuationToken>t</NextContinuationToken>"
    store, _ = scripted(
        listing("ListBucketResult", first, more=more), refusal(503, "ServiceUnavailable")
    )
    named = store.keys("work/")
    assert next(named) == "work/a"
    with pytest.raises(Unavailable):
        next(named)


def test_an_upload_needs_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    store, script = scripted((200, {}, b""))
    monkeypatch.setattr(script.client._request_signer, "_credentials", None)
    with pytest.raises(Unavailable):
        store.upload_to("lists/a", seconds=60, now=datetime(2026, 6, 1, tzinfo=UTC))


@pytest.mark.parametrize(
    ("region", "endpoint", "begins"),
    [
        ("us-east-1", None, "https://bucket.s3.us-east-1.amazonaws.com/lists/a%20b%2B%C4%87?"),
        ("eu-north-1", None, "https://bucket.s3.eu-north-1.amazonaws.com/lists/a%20b%2B%C4%87?"),
        (
            "us-east-1",
            "http://127.0.0.1:4566",
            "http://127.0.0.1:4566/bucket/lists/a%20b%2B%C4%87?",
        ),
    ],
)
def test_an_upload_names_the_buckets_region_or_the_endpoint_of_ones_own(
    region: str, endpoint: str | None, begins: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("boto3.DEFAULT_SESSION", None)
    monkeypatch.setenv("AWS_DEFAULT_REGION", region)
    if endpoint:
        monkeypatch.setenv("AWS_ENDPOINT_URL", endpoint)
    store = S3Objects(make_client(), bucket="bucket")
    now = datetime(2026, 6, 1, tzinfo=UTC)
    url = store.upload_to("lists/a b+ć", seconds=60, now=now).url
    assert url.startswith(begins)
    assert "X-Amz-SignedHeaders=host&" in url
    assert "X-Amz-Expires=60&" in url
    assert "checksum" not in url
