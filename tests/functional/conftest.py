import threading
from typing import Any

import pytest
from botocore.client import BaseClient

from quick_world import QuickWorld, in_memory
from world import World


@pytest.fixture
def world() -> World:
    """Over a table in memory."""
    return in_memory()


@pytest.fixture
def quick() -> QuickWorld:
    """A world with everything that reconciles, over a table in memory."""
    return QuickWorld()


@pytest.fixture
def one_call_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests with threads: moto copies its tables as it serves, which a second call breaks."""
    lock, call = threading.Lock(), BaseClient._make_api_call  # type: ignore[attr-defined]

    def alone(client: BaseClient, *arguments: Any) -> Any:
        with lock:
            return call(client, *arguments)

    monkeypatch.setattr(BaseClient, "_make_api_call", alone)
