"""What the process that reads a file takes from itself before it looks at it."""

import os
import resource
import signal
import sys
from contextlib import suppress
from math import ceil
from typing import Any, Final

from palimpsest.adapters.parsers.limits import Limits

_OPEN_FILES: Final = 64
_GRACE: Final = 5
"""Seconds: whoever asked ends the process in time; this is for when nobody does."""

_FORBIDDEN: Final = (
    "socket.",
    "subprocess.",
    "os.exec",
    "os.fork",
    "os.posix_spawn",
    "os.spawn",
    "os.startfile",
    "os.system",
    "os.chmod",
    "os.chown",
    "os.link",
    "os.mkdir",
    "os.putenv",
    "os.remove",
    "os.rename",
    "os.rmdir",
    "os.symlink",
    "os.truncate",
    "os.utime",
    "pty.",
    "shutil.",
    "tempfile.",
    "urllib.",
)
_WRITING: Final = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def confine(limits: Limits) -> None:
    """Take from this process, for good: memory, time and file sizes beyond the limits, other
    processes, the network, and every file but those it reads or has open already.
    """
    seconds = ceil(limits.seconds)
    _lower(resource.RLIMIT_AS, limits.memory)
    _lower(resource.RLIMIT_CPU, seconds, seconds + _GRACE)
    _lower(resource.RLIMIT_FSIZE, limits.output)
    _lower(resource.RLIMIT_NOFILE, _OPEN_FILES)
    _lower(resource.RLIMIT_CORE, 0)
    _lower(resource.RLIMIT_NPROC, 0)
    signal.alarm(seconds + _GRACE)
    sys.addaudithook(refuse)


def refuse(event: str, arguments: tuple[Any, ...]) -> None:
    """An audit hook. Raises `PermissionError` at what no parser has to do."""
    if event == "open":
        _path, mode, flags = arguments
        writes = any(letter in (mode or "") for letter in "wax+") or (flags or 0) & _WRITING
        if writes:
            raise PermissionError("files are only read here")
    elif event.startswith(_FORBIDDEN):
        raise PermissionError(f"{event} is not for readers of files")


def _lower(limit: int, soft: int, hard: int | None = None) -> None:
    """Lower a limit as far as this system lets it; some know not all of them."""
    with suppress(ValueError, OSError):
        _soft, highest = resource.getrlimit(limit)
        wanted = soft if hard is None else hard
        if highest != resource.RLIM_INFINITY:
            wanted = min(wanted, highest)
        resource.setrlimit(limit, (min(soft, wanted), wanted))
