"""The OpenSearch client as this adapter uses it, and the translation of its errors."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from opensearchpy import OpenSearch, Urllib3AWSV4SignerAuth, Urllib3HttpConnection
from opensearchpy.exceptions import (
    ConnectionError as NoConnection,
)
from opensearchpy.exceptions import (
    ConnectionTimeout,
    ImproperlyConfigured,
    NotFoundError,
    SerializationError,
    TransportError,
)

from palimpsest.domain.errors import DeadlineExceeded, PalimpsestError, Throttled, Unavailable

STAGE = "index"
UNSIGNED, COLLECTION = "none", "aoss"
_OVERLOADED = 429


class Missing(Unavailable):
    """The index or alias that was asked for is not there."""

    def __init__(self, message: str) -> None:
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


def make_client(endpoint: Endpoint, *, credentials: Any = None) -> OpenSearch:
    """A client that asks nothing by itself. A connection that was found dead is tried once more at
    once, as those of a thawed function often are; nothing else is retried here.
    """
    parts = urlsplit(endpoint.url)
    secure = parts.scheme == "https"
    auth: Any = None
    if endpoint.signing != UNSIGNED:
        auth = Urllib3AWSV4SignerAuth(credentials, endpoint.region, endpoint.signing)
    elif parts.username:
        auth = (parts.username, parts.password or "")
    return OpenSearch(
        hosts=[{"host": parts.hostname or "", "port": parts.port or (443 if secure else 80)}],
        url_prefix=parts.path.strip("/"),
        http_auth=auth,
        use_ssl=secure,
        verify_certs=secure,
        connection_class=Urllib3HttpConnection,
        pool_maxsize=endpoint.connections,
        http_compress=secure and endpoint.signing != COLLECTION,
        max_retries=1,
        retry_on_status=(),
        retry_on_timeout=False,
        timeout=10,
    )


@contextmanager
def translated() -> Iterator[None]:
    """The client's errors as the domain's."""
    try:
        yield
    except PalimpsestError:
        raise
    except ConnectionTimeout as error:
        raise DeadlineExceeded("the index did not answer in time", stage=STAGE) from error
    except NotFoundError as error:
        raise Missing("the index is not there") from error
    except SerializationError as error:
        raise Unavailable("the index gave an answer that cannot be read", stage=STAGE) from error
    except NoConnection as error:
        raise Unavailable("the index cannot be reached", stage=STAGE) from error
    except ImproperlyConfigured:
        raise
    except TransportError as error:
        if error.status_code == _OVERLOADED:
            raise Throttled("the index asks for patience") from error
        raise Unavailable(f"the index answered {error.status_code}", stage=STAGE) from error
