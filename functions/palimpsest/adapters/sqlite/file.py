"""One generation of the index: its file, opened, checked, and replaced where it cannot be used.

Several processes share the file. Who opens it holds a shared lock on `index.lock` beside it, who
makes or replaces it an exclusive one, so that exactly one of them puts a new file in the place of a
damaged one and the others find that.
"""

import fcntl
import os
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import apsw

from palimpsest.adapters.sqlite import schema
from palimpsest.adapters.sqlite.failures import STAGE, Damaged, Foreign, translated
from palimpsest.adapters.sqlite.schema import run
from palimpsest.domain.errors import Unavailable

NAME = "index.sqlite"
Identity = tuple[int, int]
_POLL_SECONDS = 0.01
_SETTINGS = (
    "synchronous = NORMAL",  # the table is the truth: a lost last write is projected again
    "secure_delete = ON",
    "temp_store = MEMORY",  # VACUUM leaves no copy on disk
    "cache_size = -32768",  # KiB
)


@dataclass(slots=True, kw_only=True)
class IndexFile:
    """An open generation: one connection that reads and one that writes, each behind a lock."""

    path: Path
    identity: Identity
    generation: str
    reader: apsw.Connection
    writer: apsw.Connection
    _reading: threading.Lock = field(default_factory=threading.Lock)
    _writing: threading.Lock = field(default_factory=threading.Lock)

    def is_current(self) -> bool:
        """Whether the file of that name is still this one: not deleted, not replaced."""
        return identity_of(self.path) == self.identity

    @contextmanager
    def reading(self) -> Iterator[apsw.Connection]:
        """The reading connection inside one transaction: everything is seen as of one instant."""
        with self._reading, translated():
            run(self.reader, "BEGIN")
            try:
                yield self.reader
            finally:
                _undo(self.reader)

    @contextmanager
    def writing(self) -> Iterator[apsw.Connection]:
        """The writing connection inside a transaction, committed at the end, undone by an
        exception.
        """
        with self._writing, translated():
            run(self.writer, "BEGIN IMMEDIATE")
            try:
                yield self.writer
                run(self.writer, "COMMIT")
            except BaseException:
                _undo(self.writer)
                raise

    def scrub(self, *, vacuum_limit: int) -> None:
        """Take what was erased out of the file and its log. Raises `Unavailable` if that did not
        succeed.

        `secure_delete` has zeroed the cells themselves, but a page that was split earlier may keep
        a copy of a moved cell: only `VACUUM` removes those, for files of up to `vacuum_limit`
        bytes.
        """
        with self._writing, translated():
            pages, size = (run(self.writer, f"PRAGMA {it}") for it in ("page_count", "page_size"))
            if pages[0][0] * size[0][0] <= vacuum_limit:
                run(self.writer, "VACUUM")
            busy = run(self.writer, "PRAGMA wal_checkpoint(TRUNCATE)")[0][0]
        if busy:
            raise Unavailable("the index's log could not be emptied", stage=STAGE)

    def close(self) -> None:
        """Close both connections."""
        with self._reading, self._writing, translated():
            self.reader.close()
            self.writer.close()


def _undo(connection: apsw.Connection) -> None:
    if connection.in_transaction:  # some errors end it themselves
        run(connection, "ROLLBACK")


def identity_of(path: Path) -> Identity | None:
    """Device and inode of a file; None if there is none."""
    try:
        found = os.stat(path)  # noqa: PTH116 - asked before every search: half the time of Path.stat
    except (FileNotFoundError, NotADirectoryError):
        return None
    return found.st_dev, found.st_ino


def open_file(
    folder: Path, *, fingerprint: str, busy_seconds: float, condemned: Identity | None = None
) -> IndexFile:
    """The index of a folder, made if there is none.

    A file that is `condemned`, damaged, or of another schema or embedding model is deleted and
    replaced by an empty one: it has nothing that the table has not, and kept it would keep what is
    forgotten later. Somebody else's database is moved aside.
    """
    path = folder / NAME
    with translated():
        folder.mkdir(parents=True, exist_ok=True)
    lock = folder / "index.lock"
    if condemned is None:  # as a rule it is there and whole: many may look at once
        with (
            translated(),
            _locked(lock, fcntl.LOCK_SH, seconds=busy_seconds),
            suppress(Damaged, Foreign),
        ):
            found = None
            if path.exists():
                found = _opened(path, fingerprint=fingerprint, busy_seconds=busy_seconds)
            if found is not None:
                return found
    with translated(), _locked(lock, fcntl.LOCK_EX, seconds=busy_seconds):
        if condemned is not None and identity_of(path) == condemned:
            _delete(path)
        if path.exists():
            try:
                found = _opened(path, fingerprint=fingerprint, busy_seconds=busy_seconds)
            except Foreign:
                _move_aside(path)
            except Damaged:
                _delete(path)
            else:
                if found is not None:
                    return found
                _delete(path)
        return _created(path, fingerprint=fingerprint, busy_seconds=busy_seconds)


def _created(path: Path, *, fingerprint: str, busy_seconds: float) -> IndexFile:
    for suffix in ("-wal", "-shm"):
        Path(f"{path}{suffix}").unlink(missing_ok=True)
    connection = _connected(path, busy_seconds=busy_seconds)
    generation = f"sqlite-{secrets.token_hex(8)}"
    schema.create(connection, generation=generation, fingerprint=fingerprint)
    connection.close()
    found = _opened(path, fingerprint=fingerprint, busy_seconds=busy_seconds)
    if found is None:
        raise Damaged("a new index file could not be read back")
    return found


def _opened(path: Path, *, fingerprint: str, busy_seconds: float) -> IndexFile | None:
    """The file, checked; None if it is an index of another kind. Raises `Damaged`."""
    identity = identity_of(path)
    writer = _connected(path, busy_seconds=busy_seconds)
    try:
        with translated():
            fitting = _fits(writer, fingerprint=fingerprint)
            if fitting and identity is not None:
                return IndexFile(
                    path=path,
                    identity=identity,
                    generation=str(schema.meta(writer, "generation")),
                    reader=_connected(path, busy_seconds=busy_seconds),
                    writer=writer,
                )
    except Unavailable:
        writer.close()
        raise
    writer.close()
    return None


def _fits(connection: apsw.Connection, *, fingerprint: str) -> bool:
    application = run(connection, "PRAGMA application_id")[0][0]
    if application != schema.APPLICATION:
        raise Foreign("the file is not an index")
    verdict = run(connection, "PRAGMA quick_check(1)")
    if verdict != [("ok",)]:
        raise Damaged("the index file is damaged")
    if run(connection, "PRAGMA user_version")[0][0] != schema.VERSION:
        return False
    return bool(schema.meta(connection, "fingerprint") == fingerprint)


def _connected(path: Path, *, busy_seconds: float) -> apsw.Connection:
    with translated():
        connection = apsw.Connection(str(path))
        connection.set_busy_timeout(int(busy_seconds * 1000))
        for setting in _SETTINGS:
            try:
                run(connection, f"PRAGMA {setting}")
            except apsw.Error:
                connection.close()
                raise
        return connection


def _move_aside(path: Path) -> None:
    """Keep somebody else's database, with its log, under another name."""
    kept = f"{path}.foreign-{time.time_ns() // 1_000_000}"
    if Path(f"{path}-wal").exists():
        Path(f"{path}-wal").rename(f"{kept}-wal")
    path.rename(kept)


def _delete(path: Path) -> None:
    for suffix in ("-shm", "-wal", ""):
        Path(f"{path}{suffix}").unlink(missing_ok=True)


@contextmanager
def _locked(path: Path, kind: int, *, seconds: float) -> Iterator[None]:
    """Hold the lock file, shared or exclusively; `Unavailable` if another process stands against it
    for longer than `seconds`.
    """
    until = time.monotonic() + seconds
    with path.open("a") as file:
        while True:
            try:
                fcntl.flock(file, kind | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() >= until:
                    raise Unavailable("the index is being opened elsewhere", stage=STAGE) from None
                time.sleep(_POLL_SECONDS)
            else:
                break
        yield
