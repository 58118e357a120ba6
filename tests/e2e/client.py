"""A client of a running stack, safe to share between threads."""

import itertools
import time
from types import TracebackType
from typing import Any, Self

import httpx

_names = itertools.count(1)
PATIENCE_S = 60.0


class Client:
    """Requests under one key."""

    def __init__(self, url: str, key: str | None) -> None:
        self.http = httpx.Client(
            base_url=url.rstrip("/") + "/",
            headers={"Authorization": f"Bearer {key}"} if key else {},
            timeout=60,
            limits=httpx.Limits(max_connections=64),
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.http.close()

    @staticmethod
    def fresh(word: str = "ns") -> str:
        """A namespace nobody used in this run."""
        return f"{word}-{time.time_ns():x}-{next(_names)}"

    def put(
        self, ns: str, record_id: str, text: str, *, match: int | None = None, **fields: Any
    ) -> httpx.Response:
        """One put; `match` 0 creates only."""
        headers = {}
        if match is not None:
            headers = {"If-None-Match": "*"} if match == 0 else {"If-Match": f'"{match}"'}
        return self.http.put(
            f"namespaces/{ns}/records/{record_id}", json={"text": text, **fields}, headers=headers
        )

    def get(self, ns: str, record_id: str) -> httpx.Response:
        return self.http.get(f"namespaces/{ns}/records/{record_id}")

    def delete(self, ns: str, record_id: str) -> httpx.Response:
        return self.http.delete(f"namespaces/{ns}/records/{record_id}")

    def status(self, ns: str) -> dict[str, Any]:
        found: dict[str, Any] = self.http.get(f"namespaces/{ns}").raise_for_status().json()
        return found

    def search(self, ns: str, query: str, **members: Any) -> httpx.Response:
        return self.http.post("search", json={"query": query, "namespace": ns, **members})

    def found(self, ns: str, query: str, **members: Any) -> list[str]:
        answer = self.search(ns, query, **members).raise_for_status().json()
        return [hit["id"] for hit in answer["hits"]]

    def wait(self, ns: str, *, patience_s: float = PATIENCE_S) -> dict[str, Any]:
        """The status once the index has caught up."""
        end = time.monotonic() + patience_s
        while True:
            status = self.status(ns)
            if status["lag"] == 0:
                return status
            assert time.monotonic() < end, f"the index is {status['lag']} revisions behind"
            time.sleep(0.1)
