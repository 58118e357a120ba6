"""What SQLite's errors mean to a caller."""

from collections.abc import Iterator
from contextlib import contextmanager

import apsw

from palimpsest.domain.errors import Unavailable

STAGE = "index"


class Damaged(Unavailable):
    """The file cannot be read as an index (any more); it is to be replaced by an empty one."""

    def __init__(self, message: str) -> None:
        super().__init__(message, stage=STAGE)


@contextmanager
def translated() -> Iterator[None]:
    """SQLite's and the system's errors as `Unavailable`, those of a broken file as `Damaged`."""
    try:
        yield
    except (apsw.CorruptError, apsw.NotADBError) as error:
        raise Damaged(f"the index file is damaged: {error}") from error
    except (apsw.Error, OSError) as error:
        raise Unavailable(f"the index file cannot be used: {error}", stage=STAGE) from error
