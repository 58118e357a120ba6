"""Interleaved timings and the figures made of them.

One figure compares what this project does with the bare engine or library below it, in one run: the
two take turns round by round, and every other round begins with the other one, so that whatever
else the machine is doing, and whatever one leaves warm for the next, meets both alike.
"""

import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

T = TypeVar("T")
Side = Callable[[int], Sequence[float]]
"""Is given a round's number, prepares what it needs, times itself, and tells one or several times
in milliseconds.
"""

WARM_UP = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """Times of both sides in milliseconds. The ratio is ours to bare, at most `bar`; of throughput
    it is bare to ours, at least `bar`; of medians, or `at_p95`. A figure without a bar is there to
    be known.
    """

    name: str
    ours: Sequence[float]
    bare: Sequence[float]
    bar: float | None = None
    throughput: bool = False
    at_p95: bool = False

    @property
    def ratio(self) -> float:
        at = p95 if self.at_p95 else statistics.median
        ours, bare = at(self.ours), at(self.bare)
        return bare / ours if self.throughput else ours / bare

    @property
    def ok(self) -> bool:
        if self.bar is None:
            return True
        return self.ratio >= self.bar if self.throughput else self.ratio <= self.bar

    def told(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "rounds": len(self.ours),
            "ours_ms": summary(self.ours),
            "bare_ms": summary(self.bare),
            "ratio": round(self.ratio, 3),
            "of": "throughput" if self.throughput else "time",
            "at": "p95" if self.at_p95 else "median",
            "bar": self.bar,
            "ok": self.ok,
        }


def summary(times: Sequence[float]) -> dict[str, float]:
    return {"median": round(statistics.median(times), 3), "p95": round(p95(times), 3)}


def p95(times: Sequence[float]) -> float:
    return sorted(times)[min(len(times) - 1, int(0.95 * len(times)))]


def timed(work: Callable[[], T]) -> tuple[float, T]:
    """Milliseconds, and the result."""
    began = time.perf_counter()
    result = work()
    return 1000 * (time.perf_counter() - began), result


def interleaved(
    rounds: int,
    ours: Side,
    bare: Side,
    *,
    warm_up: int = WARM_UP,
) -> tuple[list[list[float]], list[list[float]]]:
    """Both sides' columns; the rounds of the warm-up do not count."""
    told: tuple[list[Sequence[float]], list[Sequence[float]]] = ([], [])
    for number in range(rounds + warm_up):
        order = ((0, ours), (1, bare)) if number % 2 else ((1, bare), (0, ours))
        for place, side in order:
            told[place].append(side(number))
    mine, other = ([list(column) for column in zip(*rows[warm_up:], strict=True)] for rows in told)
    return mine, other


def in_turns(
    rounds: int, sides: Mapping[str, Side], *, warm_up: int = WARM_UP
) -> dict[str, list[list[float]]]:
    """The columns of any number of sides, by name. Every round begins with the next side, and after
    each cycle the order is turned round, so that each stands before any other as often as after it.
    """
    names = list(sides)
    told: dict[str, list[Sequence[float]]] = {name: [] for name in names}
    for number in range(rounds + warm_up):
        first = number % len(names)
        order = names[first:] + names[:first]
        for name in order[::-1] if number // len(names) % 2 else order:
            told[name].append(sides[name](number))
    return {
        name: [list(column) for column in zip(*rows[warm_up:], strict=True)]
        for name, rows in told.items()
    }


def table(figures: Sequence[Figure]) -> list[str]:
    """The table as lines: medians of both sides with their p95, ratio, bar."""
    width = max(len(figure.name) for figure in figures)
    lines = [f"{'':{width}}  {'ours ms':>9} {'p95':>9} {'bare ms':>9} {'p95':>9}  ratio     bar"]
    for one in figures:
        ours, bare = summary(one.ours), summary(one.bare)
        bar = "" if one.bar is None else f"{'≥' if one.throughput else '≤'} {one.bar:.2f}"
        verdict = "" if one.bar is None else "ok" if one.ok else "over"
        times = [f"{side[name]:9.2f}" for side in (ours, bare) for name in ("median", "p95")]
        row = f"{one.name:{width}}  {' '.join(times)}  {one.ratio:5.2f}  {bar:>6}  {verdict}"
        lines.append(row.rstrip())
    return lines
