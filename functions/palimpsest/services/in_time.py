"""Waiting for what runs beside, and no longer."""

from typing import TypeVar

from palimpsest.domain.errors import DeadlineExceeded
from palimpsest.ports import Pending

T = TypeVar("T")

INNER_SHARE = 0.9
"""The own time-out of what is waited for, as a share of that wait: so it ends first, and says what
became of it.
"""


def in_time(pending: Pending[T], *, timeout: float, stage: str) -> T:
    """The result, or the exception, of that work. Raises `DeadlineExceeded` after `timeout`
    seconds: the work may go on, and nobody waits for it any more.
    """
    try:
        return pending.result(timeout)
    except TimeoutError as error:
        raise DeadlineExceeded(f"{stage} was not done in time", stage=stage) from error
