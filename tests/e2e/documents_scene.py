"""A namespace of documents of a running stack, as clients see it: files are put into the bucket by
a plain S3 client, and what becomes of them is looked at through the API.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from e2e.client import Client
from e2e.endpoint_clients import client_of
from e2e.index_at_rest import TENANT
from palimpsest.domain.upload_keys import UploadPlace
from stack import LocalStack

PUTTERS = 10
TEXT_PAGE = 100_000
LOOK_S = 0.2


@dataclass(frozen=True, slots=True)
class Folder:
    """The files of one namespace."""

    client: Client
    stack: LocalStack
    namespace: str
    bucket: str = field(init=False)
    s3: Any = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "bucket", self.stack.values["UPLOADS_BUCKET"])
        object.__setattr__(self, "s3", client_of(self.stack, "s3"))

    def put(self, path: str, data: bytes) -> None:
        """Put one file, whatever was there before."""
        self.s3.put_object(Bucket=self.bucket, Key=self._key(path), Body=data)

    def put_all(self, files: Mapping[str, bytes]) -> None:
        """Put all of them, several at once."""
        with ThreadPoolExecutor(PUTTERS) as pool:
            list(pool.map(self.put, files.keys(), files.values()))

    def take_away(self, path: str) -> None:
        """Delete a file."""
        self.s3.delete_object(Bucket=self.bucket, Key=self._key(path))

    def documents(self) -> dict[str, dict[str, Any]]:
        """Every document that is listed, by its path."""
        found: list[dict[str, Any]] = []
        cursor: dict[str, str] = {}
        while True:
            page = self._get("documents", limit=100, **cursor)
            found += page["documents"]
            if page["next_cursor"] is None:
                break
            cursor = {"cursor": page["next_cursor"]}
        assert len({one["id"] for one in found}) == len(found)
        return {one["path"]: one for one in found}

    def document(self, path: str) -> dict[str, Any] | None:
        """The document at a path, if it is listed."""
        found: list[dict[str, Any]] = self._get("documents", path=path)["documents"]
        return found[0] if found else None

    def ledger(self) -> dict[str, str]:
        """The reason of each document that cannot be found."""
        items = self._get("unsearchable", limit=100)["items"]
        return {one["id"]: one["reason"] for one in items}

    def text(self, document_id: str) -> str:
        """The whole text of a document, page by page."""
        pages: list[str] = []
        offset: int | None = 0
        while offset is not None:
            page = self._get(f"documents/{document_id}/text", offset=offset, limit=TEXT_PAGE)
            pages.append(page["text"])
            offset = page["next_offset"]
        return "".join(pages)

    def hits(self, query: str, **members: Any) -> list[dict[str, Any]]:
        """What a search finds."""
        answer = self.client.search(self.namespace, query, **members).raise_for_status().json()
        found: list[dict[str, Any]] = answer["hits"]
        return found

    def missing(self, paths: Iterable[str]) -> str:
        """Which of these paths are not ready yet, and how they stand. None may fail."""
        states = {path: one["state"] for path, one in self.documents().items()}
        told = {path: states.get(path, "not listed") for path in paths}
        assert not {"failed", "no_text"} & set(told.values()), told
        late = {path: state for path, state in told.items() if state != "ready"}
        return f"{dict(Counter(late.values()))}: {sorted(late)[:5]}" if late else ""

    def unsettled(self, count: int) -> str:
        """How the so many documents stand, until all are settled: of thousands only the namespace's
        counts are looked at, a call each time.
        """
        counts = self.client.status(self.namespace)["counts"]
        waiting = count - counts["documents"] + counts["unsearchable"]
        return f"{waiting} documents" if waiting else ""

    def _key(self, path: str) -> str:
        return UploadPlace(TENANT, self.namespace, path).key

    def _get(self, below: str, **query: Any) -> Any:
        answer = self.client.http.get(f"namespaces/{self.namespace}/{below}", params=query)
        return answer.raise_for_status().json()


def until(missing: Callable[[], str], *, patience_s: float, every_s: float = LOOK_S) -> float:
    """Wait until nothing is missing; the seconds that took. Fails with what still was."""
    began = time.monotonic()
    while told := missing():
        assert time.monotonic() < began + patience_s, f"after {patience_s} s missing: {told}"
        time.sleep(every_s)
    return time.monotonic() - began
