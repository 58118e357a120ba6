"""The OpenSearch client as this adapter uses it, and the translation of its errors."""

import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urlsplit

from opensearchpy import OpenSearch, Urllib3AWSV4SignerAuth, Urllib3HttpConnection
from opensearchpy.exceptions import (
    ConnectionError as NoConnection,
)
from opensearchpy.exceptions import (
    ConnectionTimeout,
    NotFoundError,
    SerializationError,
    TransportError,
)
from urllib3 import Timeout

from palimpsest.domain.errors import DeadlineExceeded, Throttled, Unavailable

STAGE = "index"
UNSIGNED, COLLECTION = "none", "aoss"
_OVERLOADED = 429


class Missing(Unavailable):
    """The index or alias that was asked for is not there."""

    def __init__(self, message: str) -> None:
        super().__init__(message, stage=STAGE)


class Unusable(Unavailable):
    """An answer that is not what the engine promises."""

    def __init__(self, message: str = "the index gave an answer that cannot be read") -> None:
        super().__init__(message, stage=STAGE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Where the engine answers. `signing`: the service that requests are signed for with SigV4,
    `es` or `aoss`; `none`: they are not. `connections` are kept open between calls.
    """

    url: str
    signing: str = UNSIGNED
    region: str = ""
    connections: int = 4


class Connection(Urllib3HttpConnection):
    """Tries a request whose connection was found dead once more at once, as those of a thawed
    function often are, in what is left of its time-out.
    """

    def perform_request(  # noqa: PLR0917  # the base's own signature
        self,
        method: str,
        url: str,
        params: Mapping[str, Any] | None = None,
        body: bytes | None = None,
        timeout: float | None = None,
        ignore: Collection[int] = (),
        headers: Mapping[str, str] | None = None,
    ) -> Any:
        """As that of the base; connecting and answering have the time-out together."""
        ask = super().perform_request
        end = time.monotonic() + (timeout or self.timeout)

        def asked() -> Any:
            left: Any = Timeout(total=max(0.001, end - time.monotonic()))
            return ask(method, url, params, body, left, ignore, headers)

        try:
            return asked()
        except ConnectionTimeout:
            raise
        except NoConnection:
            if time.monotonic() >= end:
                raise
            return asked()


def make_client(endpoint: Endpoint, *, credentials: Any = None) -> OpenSearch:
    """A client that asks nothing by itself and retries nothing but what `Connection` does."""
    parts = urlsplit(endpoint.url)
    secure = parts.scheme == "https"
    auth: Any = None
    if endpoint.signing != UNSIGNED:
        auth = Urllib3AWSV4SignerAuth(credentials, endpoint.region, endpoint.signing)
    elif parts.username:
        auth = (unquote(parts.username), unquote(parts.password or ""))
    return OpenSearch(
        hosts=[{"host": parts.hostname or "", "port": parts.port or (443 if secure else 80)}],
        url_prefix=parts.path.strip("/"),
        http_auth=auth,
        use_ssl=secure,
        verify_certs=secure,
        connection_class=Connection,
        pool_maxsize=endpoint.connections,
        http_compress=secure and endpoint.signing != COLLECTION,
        max_retries=0,
        retry_on_status=(),
        retry_on_timeout=False,
        timeout=10,
    )


@contextmanager
def readable() -> Iterator[None]:
    """What an answer lacks, or has in another shape, as `Unusable`."""
    try:
        yield
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise Unusable from error


def whole(answer: Mapping[str, Any]) -> Mapping[str, Any]:
    """An answer that every part of the index has its share in; raises `Unavailable` for another."""
    if answer.get("timed_out") or answer["_shards"]["failed"]:
        raise Unavailable("a part of the index did not answer", stage=STAGE)
    return answer


@contextmanager
def translated() -> Iterator[None]:
    """The client's errors as the domain's, and what cannot be read of an answer likewise."""
    try:
        with readable():
            yield
    except ConnectionTimeout as error:
        raise DeadlineExceeded("the index did not answer in time", stage=STAGE) from error
    except NotFoundError as error:
        raise Missing("the index is not there") from error
    except SerializationError as error:
        raise Unusable from error
    except NoConnection as error:
        raise Unavailable("the index cannot be reached", stage=STAGE) from error
    except TransportError as error:
        if error.status_code == _OVERLOADED:
            raise Throttled("the index asks for patience") from error
        raise Unavailable(f"the index answered {error.status_code}", stage=STAGE) from error
