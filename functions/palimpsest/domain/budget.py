"""The time of one search, shared out to its stages.

Every stage has to end before the next one's time begins to run short: so whatever stalls, what
follows can still answer without it. A stage that ends early leaves its time to those that follow.
"""

from dataclasses import dataclass
from enum import StrEnum


class Stage(StrEnum):
    """What a search spends time on, in order."""

    REWRITE = "rewrite"
    EMBED = "embed"
    LEGS = "search"
    HYDRATE = "hydrate"
    RERANK = "rerank"


ENDS = {
    Stage.REWRITE: 0.45,
    Stage.EMBED: 0.6,
    Stage.LEGS: 0.8,
    Stage.HYDRATE: 0.9,
    Stage.RERANK: 0.97,
}
"""When each stage has ended, as a share of the whole time."""

LEAST_S = 0.001
MOST_S = 26.0
"""Waiting and searching together: the functions have 28 s, of which an answer takes some."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """The `seconds` of a search from `start` on (a monotonic clock's)."""

    start: float
    seconds: float

    def later(self, seconds: float) -> "Budget":
        """The same time, beginning later, but never so long that the function is ended first."""
        left = min(self.seconds, MOST_S - seconds)
        return Budget(start=self.start + seconds, seconds=left)

    def end(self, stage: Stage) -> float:
        """When that stage must have ended."""
        return self.start + ENDS[stage] * self.seconds

    def left(self, stage: Stage, now: float) -> float:
        """The seconds that the stage has left; a moment where there are none."""
        return max(LEAST_S, self.end(stage) - now)
