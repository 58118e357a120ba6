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


class Foreign(Damaged):
    """The file is somebody else's database: it is not touched but moved aside."""


@contextmanager
def translated() -> Iterator[None]:
    """SQLite's and the system's errors as `Unavailable`, those of a broken file as `Damaged`."""
    try:
        yield
    except (apsw.CorruptError, apsw.NotADBError) as error:
        raise Damaged("the index file is damaged") from error
    except (apsw.Error, OSError) as error:
        raise Unavailable("the index file cannot be used", stage=STAGE) from error
