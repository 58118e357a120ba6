"""What services need of the place where clients put the files of documents."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Protocol

from palimpsest.domain.documents import ObjectVersion
from palimpsest.domain.upload_keys import UploadPlace
from palimpsest.domain.uploads import Upload


class Uploads(Protocol):
    """Objects that clients put and delete as they like. What is told of one is as it is now:
    strongly consistent. Every method raises `Unavailable`, `DeadlineExceeded` (stage `objects`) or
    `Throttled`.
    """

    def seen(self, key: str) -> ObjectVersion | None:
        """The object as it is now; None: there is none."""
        ...

    def fetch(self, key: str, version: ObjectVersion, *, to: Path) -> None:
        """Write that version's bytes to a file. Raises `NotFound` where it is gone."""
        ...

    def keys(self, prefix: str) -> Iterator[tuple[str, str]]:
        """The keys of the objects that begin with `prefix`, each with its entity tag."""
        ...

    def place(
        self, key: str, *, content_type: str | None, grant: str | None, seconds: int, now: datetime
    ) -> Upload:
        """A request that puts this object from outside, good for `seconds` (1 to 604,800) and never
        longer than the credentials of this process. The object has that type, and `seen` tells the
        `grant` it was put with.
        """
        ...

    def erase(self, key: str, *, before: datetime) -> int:
        """Remove for good every version and delete marker of this key, or of every key below it if
        it ends with `/`, that was written before an instant; how many they were. May be repeated.
        Instants are told in whole seconds: what was written just after it may be among them.
        """
        ...

    def remains(self, key: str, *, before: datetime) -> int:
        """How many versions and delete markers `erase` would find."""
        ...


class IngestQueue(Protocol):
    """Documents that are to be looked at. A message may come twice, or late."""

    def send(self, place: UploadPlace, *, after: float = 0.0, again: bool = False) -> None:
        """Have the document at a place looked at in `after` seconds (900 at most); with `again` it
        is read anew though its object is the same. Raises `Unavailable`.
        """
        ...
