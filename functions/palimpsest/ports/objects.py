"""What services need of the place where large and passing things are kept: an object store."""

from collections.abc import Iterator
from datetime import datetime
from typing import Protocol

from palimpsest.domain.uploads import Upload


class ObjectStore(Protocol):
    """Objects by key in one bucket that keeps versions: `put` hides the former version and erases
    none. Every method raises `Unavailable`, `DeadlineExceeded` (stage `objects`) or `Throttled`.
    """

    @property
    def bucket(self) -> str:
        """The bucket's name, as it stands in an `s3://` address."""
        ...

    def put(self, key: str, data: bytes) -> None:
        """The object has these bytes from now on, for every later read."""
        ...

    def get(self, key: str) -> bytes:
        """The whole object. Raises `NotFound`."""
        ...

    def lines(self, key: str) -> Iterator[bytes]:
        r"""The object's lines, without their ends (`\n` or `\r\n`), empty ones too, the last one
        also where it has no end. One line and one piece of the object are held at a time. Raises,
        while it is walked, `NotFound`, `InvalidRequest` at a line longer than 2 MiB, and
        `Unavailable` where the connection breaks: never a shorter object than there is. An object
        replaced meanwhile is read to the end as it was.
        """
        ...

    def size(self, key: str) -> int | None:
        """The object's bytes; None: there is none."""
        ...

    def keys(self, prefix: str) -> Iterator[str]:
        """The keys of the objects that begin with `prefix`, in the order of their bytes."""
        ...

    def erase(self, prefix: str) -> int:
        """Remove for good every version and every delete marker of every key that begins with
        `prefix`; how many they were. May be repeated: what an interrupted one has left goes with
        the next. An empty prefix is a `ValueError`.
        """
        ...

    def remains(self, prefix: str) -> int:
        """How many versions and delete markers there are of keys that begin with `prefix`."""
        ...

    def upload_to(self, key: str, *, seconds: int, now: datetime) -> Upload:
        """A request that puts this object from outside, good for `seconds` (1 to 604,800) and never
        longer than the credentials of this process.
        """
        ...
