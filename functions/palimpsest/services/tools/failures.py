"""What a language model is told where a tool has failed: one sentence that says what to do."""

from palimpsest.domain import errors
from palimpsest.domain.tool_results import ToolRefused
from palimpsest.domain.tool_text import one_line

LATER = "The memory cannot answer at the moment. Try once more in {seconds} s, or go on without it."
BROKEN = "This tool failed, and the same call would fail again. Go on without it."
LONGEST = 300
_PAUSE_S = 5


def sentence(error: Exception) -> str:
    """The sentence: what the model can mend is told as it is, an outage with how long to wait, and
    of anything else no cause.
    """
    if isinstance(error, ToolRefused):
        return str(error)
    if isinstance(error, errors.InvalidRequest):
        return one_line("; ".join(one.msg for one in error.errors))[:LONGEST]
    if isinstance(error, errors.NotFound | errors.RevisionConflict):
        return "This source has just been changed or forgotten. Search again."
    if isinstance(error, errors.TooLarge):
        return f"That is too large: the limit is {error.limit} bytes."
    if is_outage(error):
        seconds = getattr(error, "retry_after", None) or _PAUSE_S
        return LATER.format(seconds=max(1, round(seconds)))
    return BROKEN


def is_outage(error: Exception) -> bool:
    """Whether a dependency could not answer, so that the same call may succeed later."""
    return isinstance(error, errors.Throttled | errors.Unavailable | errors.ProviderError)


def is_ours(error: Exception) -> bool:
    """Whether it is no failure that a caller can bring about: a fault of the service's own."""
    return not isinstance(error, errors.PalimpsestError)
