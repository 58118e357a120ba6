"""What goes wrong while a file is read, as the reason that its uploader is told."""

import errno
from signal import SIGALRM, SIGKILL, SIGXCPU
from typing import Final

from palimpsest.domain.extraction import Unreadable, UnreadableReason

_FULL: Final = frozenset({errno.ENOSPC, errno.EFBIG, errno.EDQUOT, errno.ENOMEM})
_OUT_OF_TIME: Final = frozenset({SIGALRM, SIGXCPU})
_NEARLY: Final = 0.75
"""The share of its memory from which on a crash is put down to the lack of more."""

_TOO_LARGE: Final = (UnreadableReason.TOO_LARGE, "Reading it needs more memory than there is.")
_CORRUPT: Final = (UnreadableReason.CORRUPT, "It is damaged, or not what it says it is.")


def reason_of(error: Exception) -> Unreadable:
    """What an error of a parser means for the file it was reading."""
    if isinstance(error, Unreadable):
        return error
    if isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno in _FULL):
        return Unreadable(*_TOO_LARGE)
    if isinstance(error, RecursionError):
        return Unreadable(UnreadableReason.CORRUPT, "It is nested too deeply.")
    return Unreadable(*_CORRUPT)


def reason_of_end(returncode: int, *, peak: int, memory: int, seconds: float) -> Unreadable:
    """What it means that the reading process ended without a word: by which signal (negative, as
    `subprocess` has it) or code, having used `peak` bytes of its `memory`.
    """
    if -returncode in _OUT_OF_TIME:
        return out_of_time(seconds)
    if -returncode == SIGKILL or peak > _NEARLY * memory:  # killed by the system: for its memory
        return Unreadable(*_TOO_LARGE)
    return Unreadable(*_CORRUPT)


def out_of_time(seconds: float) -> Unreadable:
    """The reading took too long."""
    return Unreadable(
        UnreadableReason.TIMEOUT, f"Reading it takes longer than {seconds:g} seconds."
    )


def empty() -> Unreadable:
    """There is nothing in it to search for."""
    return Unreadable(UnreadableReason.NO_TEXT, "It holds no text.")
