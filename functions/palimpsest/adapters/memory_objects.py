"""`ObjectStore` in memory: the contract as plainly as it can be said, versions included."""

from collections.abc import Iterator
from datetime import datetime
from urllib.parse import quote

from palimpsest.domain.byte_lines import lines_of
from palimpsest.domain.errors import NotFound
from palimpsest.domain.uploads import Upload, expiry

_PIECE = 64 * 1024


class MemoryObjects:
    """Objects of this process, for a test or a pass too short to need a bucket."""

    def __init__(self, bucket: str = "memory") -> None:
        self._bucket = bucket
        self._versions: dict[str, list[bytes | None]] = {}
        """Of each key, oldest first; None is a delete marker."""

    @property
    def bucket(self) -> str:
        """See `ObjectStore.bucket`."""
        return self._bucket

    def put(self, key: str, data: bytes) -> None:
        """See `ObjectStore.put`."""
        self._versions.setdefault(key, []).append(bytes(data))

    def get(self, key: str) -> bytes:
        """See `ObjectStore.get`."""
        data = self._current(key)
        if data is None:
            raise NotFound(f"no object {key}")
        return data

    def lines(self, key: str) -> Iterator[bytes]:
        """See `ObjectStore.lines`."""
        data = self.get(key)
        yield from lines_of(data[at : at + _PIECE] for at in range(0, len(data), _PIECE))

    def size(self, key: str) -> int | None:
        """See `ObjectStore.size`."""
        data = self._current(key)
        return None if data is None else len(data)

    def keys(self, prefix: str) -> Iterator[str]:
        """See `ObjectStore.keys`."""
        standing = (key for key in self._below(prefix) if self._current(key) is not None)
        yield from sorted(standing, key=str.encode)

    def erase(self, prefix: str) -> int:
        """See `ObjectStore.erase`."""
        if not prefix:
            raise ValueError("an empty prefix would erase the whole bucket")
        return sum(len(self._versions.pop(key)) for key in self._below(prefix))

    def remains(self, prefix: str) -> int:
        """See `ObjectStore.remains`."""
        return sum(len(self._versions[key]) for key in self._below(prefix))

    def upload_to(self, key: str, *, seconds: int, now: datetime) -> Upload:
        """See `ObjectStore.upload_to`; nothing listens at its url (`put` stands for it)."""
        return Upload(
            method="PUT",
            url=f"memory://{self._bucket}/{quote(key)}",
            headers={},
            expires_at=expiry(now, seconds),
        )

    def mark_deleted(self, key: str) -> None:
        """What a client's own delete leaves in a bucket that keeps versions: a delete marker."""
        self._versions.setdefault(key, []).append(None)

    def _current(self, key: str) -> bytes | None:
        return self._versions.get(key, [None])[-1]

    def _below(self, prefix: str) -> list[str]:
        return [key for key in self._versions if key.startswith(prefix)]
