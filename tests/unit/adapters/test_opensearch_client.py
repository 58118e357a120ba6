"""The client as it is set up: what it signs, what it packs, what it tries again. No node."""

import gzip
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from typing import Any
from urllib.parse import urlsplit

import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from opensearchpy import OpenSearch
from urllib3 import HTTPResponse
from urllib3.exceptions import ProtocolError, ReadTimeoutError

from index_faults import faults
from index_faults.fault_proxy import FaultProxy, serving
from index_faults.messages import Asked
from palimpsest.adapters.opensearch import Catalogue, Endpoint, make_client
from palimpsest.adapters.opensearch.client import translated
from palimpsest.domain.errors import DeadlineExceeded, Unavailable

KEYS = Credentials("AKIDEXAMPLE", "made-up", "session-token")
AUTHORIZATION = re.compile(
    r"AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/(?P<day>\d{8})/(?P<region>[^/]+)/(?P<service>[^/]+)"
    r"/aws4_request, SignedHeaders=(?P<signed>[^,]+), Signature=(?P<signature>[0-9a-f]{64})"
)


@pytest.fixture
def proxy() -> Iterator[FaultProxy]:
    """Answers every request itself."""
    with serving("http://127.0.0.1:9") as proxy:
        proxy.inject(faults.answers(200, {}))
        yield proxy


def recomputed(one: Asked, signed: str, *, service: str) -> str:
    """The signature of a request as it came, as a service computes it."""
    headers = {name.lower(): value for name, value in one.headers.items()}
    request = AWSRequest(
        method=one.method,
        url=f"http://{headers['host']}{one.path}",
        data=one.body,
        headers={name: headers[name] for name in signed.split(";")},
    )
    request.context["timestamp"] = headers["x-amz-date"]
    signer = SigV4Auth(KEYS, service, "us-east-1")
    canonical = signer.canonical_request(request)
    return str(signer.signature(signer.string_to_sign(request, canonical), request))


@pytest.mark.parametrize("service", ["es", "aoss"])
def test_every_request_is_signed_for_its_service_with_the_hash_of_what_is_sent(
    proxy: FaultProxy, service: str
) -> None:
    endpoint = Endpoint(url=proxy.url, signing=service, region="us-east-1")
    client = make_client(endpoint, credentials=KEYS)
    client.bulk(
        body=b'{"index":{}}\n{"id":"h\xc3\xa9ron"}\n',
        index="p-v1-write",
        params={"filter_path": "items.*.status,errors", "require_alias": "true"},
    )
    Catalogue(client, prefix="p").kept()
    client.close()
    assert [one.method for one in proxy.seen] == ["POST", "GET"]
    for one in proxy.seen:
        headers = {name.lower(): value for name, value in one.headers.items()}
        told = AUTHORIZATION.fullmatch(headers["authorization"])
        assert told is not None
        assert (told["service"], told["region"]) == (service, "us-east-1")
        assert told["day"] == headers["x-amz-date"][:8]
        assert {"host", "x-amz-content-sha256", "x-amz-date"} <= set(told["signed"].split(";"))
        assert headers["x-amz-content-sha256"] == sha256(one.body).hexdigest()
        assert headers["x-amz-security-token"] == "session-token"
        assert told["signature"] == recomputed(one, told["signed"], service=service)
        assert "content-encoding" not in headers


def test_an_endpoint_that_is_not_signed_for_gets_no_credentials(proxy: FaultProxy) -> None:
    client = make_client(Endpoint(url=proxy.url), credentials=KEYS)
    client.indices.refresh(index="p-v1")
    client.close()
    names = {name.lower() for name in proxy.seen[0].headers}
    assert not {name for name in names if name.startswith("x-amz") or name == "authorization"}


def test_a_name_and_a_password_in_the_address_may_hold_any_character(proxy: FaultProxy) -> None:
    port = urlsplit(proxy.url).port
    client = make_client(Endpoint(url=f"http://us%40er:p%2Fw%3A%25@127.0.0.1:{port}/base/"))
    client.indices.refresh(index="p-v1")
    client.close()
    (one,) = proxy.seen
    assert one.headers["authorization"] == "Basic dXNAZXI6cC93OiU="  # us@er:p/w:%
    assert one.path == "/base/p-v1/_refresh"


def test_a_client_asks_nothing_before_it_is_asked(proxy: FaultProxy) -> None:
    make_client(Endpoint(url=proxy.url)).close()
    assert proxy.opened == 0


@contextmanager
def instead(client: OpenSearch, urlopen: Callable[..., Any]) -> Iterator[None]:
    """Requests of the client go to `urlopen` instead of the network."""
    pool = client.transport.get_connection().pool
    pool.urlopen = urlopen
    yield
    client.close()


def fine() -> HTTPResponse:
    return HTTPResponse(b"{}", headers={"content-type": "application/json"}, status=200)


@pytest.mark.parametrize(("service", "packed"), [("es", True), ("aoss", False), ("none", True)])
def test_only_a_collection_gets_its_requests_unpacked_and_the_hash_is_of_what_is_sent(
    service: str, *, packed: bool
) -> None:
    sent: list[tuple[bytes, dict[str, str]]] = []

    def urlopen(_method: str, _url: str, body: bytes, **options: Any) -> HTTPResponse:
        sent.append((body, {k.lower(): v for k, v in options["headers"].items()}))
        return fine()

    client = make_client(
        Endpoint(url="https://search.example", signing=service, region="us-east-1"),
        credentials=KEYS,
    )
    with instead(client, urlopen):
        client.bulk(body=b'{"index":{}}\n{}\n', index="p")
    ((body, headers),) = sent
    assert (headers.get("content-encoding") == "gzip") == packed
    assert (gzip.decompress(body) if packed else body) == b'{"index":{}}\n{}\n'
    if service != "none":
        assert headers["x-amz-content-sha256"] == sha256(body).hexdigest()


def test_a_second_attempt_has_only_what_the_first_left_of_the_time() -> None:
    given: list[float] = []

    def urlopen(*_: Any, timeout: Any, **__: Any) -> HTTPResponse:
        given.append(timeout.total)
        if len(given) == 1:
            time.sleep(0.05)
            raise ProtocolError("gone")
        return fine()

    client = make_client(Endpoint(url="http://127.0.0.1:9"))
    with instead(client, urlopen):
        client.msearch(body=b"{}\n{}\n", params={"request_timeout": 5})
    first, second = given
    assert first <= 5
    assert second <= first - 0.05


@pytest.mark.parametrize(
    ("seconds", "raised", "attempts"),
    [(0, "cannot be reached", 2), (0.06, "cannot be reached", 1), (None, "in time", 1)],
)
def test_there_is_no_third_attempt_none_without_time_and_none_after_a_timeout(
    seconds: float | None, raised: str, attempts: int
) -> None:
    asked: list[Any] = []

    def urlopen(*_: Any, timeout: Any, **__: Any) -> HTTPResponse:
        asked.append(timeout)
        if seconds is None:
            raise ReadTimeoutError(None, "", "late")  # type: ignore[arg-type]
        time.sleep(seconds)
        raise ProtocolError("gone")

    client = make_client(Endpoint(url="http://127.0.0.1:9"))
    with (
        instead(client, urlopen),
        pytest.raises(Unavailable, match=raised) as caught,
        translated(),
    ):
        client.msearch(body=b"{}\n{}\n", params={"request_timeout": 0.05})
    assert len(asked) == attempts
    assert isinstance(caught.value, DeadlineExceeded) == (seconds is None)


def test_a_port_where_nobody_listens_is_an_outage() -> None:
    client = make_client(Endpoint(url="http://127.0.0.1:9"))
    with pytest.raises(Unavailable, match="cannot be reached"):
        Catalogue(client, prefix="p").reading()
    client.close()
