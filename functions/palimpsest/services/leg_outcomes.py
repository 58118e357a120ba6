"""What became of the legs: which fell short, and when that makes the whole search an outage."""

from collections.abc import Mapping

from palimpsest.domain.entries import Leg, LegResult, LegStatus
from palimpsest.domain.errors import DeadlineExceeded, Unavailable


def fell_short(result: LegResult) -> bool:
    """Whether a leg that was asked could not answer."""
    return result.status in (LegStatus.FAILED, LegStatus.TIMEOUT)


def degraded(result: LegResult) -> bool:
    """Whether a leg fell short, wholly or for one way of asking."""
    return fell_short(result) or (result.status is LegStatus.OK and result.reason is not None)


def refuse_outage(results: Mapping[Leg, LegResult]) -> None:
    """Raises `Unavailable` or `DeadlineExceeded` where no leg answered: an answer needs a leg that
    answered, or nothing but legs that were rightly skipped.
    """
    short = [result for result in results.values() if fell_short(result)]
    if not short or any(result.status is LegStatus.OK for result in results.values()):
        return
    if all(result.status is LegStatus.TIMEOUT for result in short):
        raise DeadlineExceeded("no leg answered in time", stage="search")
    raise Unavailable("no leg could answer", stage="search")
