import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace

import pytest

from contract.opensearch_index import generations
from index_faults.fault_proxy import FaultProxy, serving
from palimpsest.adapters.opensearch import OpenSearchGenerations, bulk


@contextmanager
def _made(url: str, prefix: str) -> Iterator[OpenSearchGenerations]:
    made = generations(url, prefix)
    try:
        yield made
    finally:
        made.client.close()


class PassingTime:
    """Seconds that pass only while something sleeps."""

    def __init__(self) -> None:
        self.now = 0.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Patience with writes ends without being waited for, at 0.85 s before it would be spent."""
    monkeypatch.setattr(bulk, "time", PassingTime())
    monkeypatch.setattr(bulk, "random", SimpleNamespace(uniform=lambda _, longest: longest))


@pytest.fixture
def proxy(opensearch_url: str) -> Iterator[FaultProxy]:
    """A proxy before the node."""
    with serving(opensearch_url) as proxy:
        yield proxy


@pytest.fixture
def behind(proxy: FaultProxy, index_prefix: str) -> Iterator[OpenSearchGenerations]:
    """Generations behind the proxy, the first one read."""
    with _made(proxy.url, index_prefix) as made:
        yield made


@pytest.fixture(scope="module")
def lasting(opensearch_url: str) -> Iterator[tuple[FaultProxy, OpenSearchGenerations]]:
    """Both of them for a whole module: making an index takes longer than most tests."""
    prefix = f"test-{secrets.token_hex(6)}"
    with serving(opensearch_url) as proxy, _made(proxy.url, prefix) as made:
        yield proxy, made
        made.client.indices.delete(index=f"{prefix}-v*")


@pytest.fixture
def shared(lasting: tuple[FaultProxy, OpenSearchGenerations]) -> OpenSearchGenerations:
    """Generations that other tests use as well, behind the `shared_proxy`."""
    return lasting[1]


@pytest.fixture
def shared_proxy(lasting: tuple[FaultProxy, OpenSearchGenerations]) -> Iterator[FaultProxy]:
    yield lasting[0]
    lasting[0].heal()
