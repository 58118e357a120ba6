"""How a connection over HTTP breaks, and the error that each way becomes."""

import httpx

from palimpsest.domain.errors import DeadlineExceeded, PalimpsestError, ProviderError, Unavailable

BROKEN: list[tuple[Exception, type[PalimpsestError]]] = [
    (httpx.ConnectError("refused"), Unavailable),
    (httpx.ReadError("reset"), Unavailable),
    (httpx.RemoteProtocolError("closed midway"), Unavailable),
    (httpx.ConnectTimeout("slow"), DeadlineExceeded),
    (httpx.ReadTimeout("slow"), DeadlineExceeded),
    (httpx.PoolTimeout("many"), DeadlineExceeded),
    (httpx.DecodingError("not gzip"), ProviderError),
    (httpx.TooManyRedirects("round"), ProviderError),
    (httpx.InvalidURL("no address"), ProviderError),
]
