"""The table that the handlers write to: in memory, empty for each test."""

import threading
import time
from typing import Any

from quick_world import QuickTable

NAME = "RecordsTable"


class MemoryTable:
    """The DynamoDB client of all functions, over a table that can be replaced by an empty one;
    threads of a search call it one at a time.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self.renew()

    def renew(self) -> None:
        """From now on it is empty."""
        self._table = QuickTable(time.monotonic, 0, name=NAME)
        self.exceptions = self._table.client.exceptions

    def made(self, *, attempts: int = 3) -> "MemoryTable":  # noqa: ARG002  # no call fails here
        """In place of `make_client`."""
        return self

    def items_of(self, pk: str) -> list[Any]:
        """Everything that it holds of a partition."""
        with self._lock:
            everything = self._table.table.everything()
        return [everything[key] for key in sorted(everything) if key.pk == pk]

    def __getattr__(self, operation: str) -> Any:
        def call(**asked: Any) -> Any:
            with self._lock:
                return getattr(self._table.client, operation)(**asked)

        return call


TABLE = MemoryTable()
"""That of all functions."""
