"""`Uploads` in memory: the contract as plainly as it can be said, versions included."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from urllib.parse import quote

from palimpsest.domain.documents import ObjectVersion
from palimpsest.domain.errors import NotFound
from palimpsest.domain.uploads import Upload, expiry
from palimpsest.ports import Clock


@dataclass(frozen=True, slots=True)
class _Version:
    told: ObjectVersion
    data: bytes | None  # None: a delete marker


class MemoryUploads:
    """Objects of this process, for a test. Instants are those of S3: whole seconds."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._versions: dict[str, list[_Version]] = {}
        """Of each key, oldest first."""

        self._made = 0

    def put(
        self,
        key: str,
        data: bytes,
        *,
        content_type: str | None = None,
        grant: str | None = None,
    ) -> str:
        """What a client's upload does; the version made."""
        return self._add(key, data, content_type=content_type, grant=grant)

    def delete(self, key: str) -> None:
        """What a client's own delete does: a delete marker hides what was there."""
        self._add(key, None)

    def seen(self, key: str) -> ObjectVersion | None:
        """See `Uploads.seen`."""
        current = self._versions.get(key, [])[-1:]
        return current[0].told if current and current[0].data is not None else None

    def fetch(self, key: str, version: ObjectVersion, *, to: Path) -> None:
        """See `Uploads.fetch`."""
        for one in self._versions.get(key, []):
            if one.told.version == version.version and one.data is not None:
                to.write_bytes(one.data)
                return
        raise NotFound("that version is gone")

    def keys(self, prefix: str) -> Iterator[tuple[str, str]]:
        """See `Uploads.keys`."""
        for key in sorted(self._versions, key=str.encode):
            data = self._versions[key][-1].data
            if key.startswith(prefix) and data is not None:
                yield key, _etag(data)

    def place(
        self, key: str, *, content_type: str | None, grant: str | None, seconds: int, now: datetime
    ) -> Upload:
        """See `Uploads.place`; nothing listens at its url (`put` stands for it)."""
        headers = {"Content-Type": content_type} if content_type else {}
        if grant:
            headers["x-amz-meta-palimpsest-grant"] = grant
        return Upload(
            method="PUT",
            url=f"memory://uploads/{quote(key)}",
            headers=headers,
            expires_at=expiry(now, seconds),
        )

    def erase(self, key: str, *, before: datetime) -> int:
        """See `Uploads.erase`."""
        erased = self.remains(key, before=before)
        for own in self._named(key):
            kept = [one for one in self._versions.pop(own) if one.told.modified >= before]
            if kept:
                self._versions[own] = kept
        return erased

    def remains(self, key: str, *, before: datetime) -> int:
        """See `Uploads.remains`."""
        return sum(
            one.told.modified < before for own in self._named(key) for one in self._versions[own]
        )

    def _named(self, key: str) -> list[str]:
        return [
            one
            for one in self._versions
            if one == key or (key[-1:] == "/" and one[: len(key)] == key)
        ]

    def _add(self, key: str, data: bytes | None, **told: str | None) -> str:
        self._made += 1
        version = ObjectVersion(
            version=f"v{self._made}",
            etag=_etag(data or b""),
            bytes=len(data or b""),
            modified=self._clock.now().replace(microsecond=0),
            **told,
        )
        self._versions.setdefault(key, []).append(_Version(version, data))
        return version.version


def _etag(data: bytes) -> str:
    return f'"{hashlib.md5(data, usedforsecurity=False).hexdigest()}"'
