"""One seeded scheduler of actors: which of them goes on at every port call, and simulated time.

Every actor is a greenlet, and only one runs at a time. It hands over where it calls a port
(`pause`), sleeps or waits, and nowhere else; so a run is a function of its seed. An actor belongs
to a process, as a request belongs to a Lambda worker: when the process dies, the actor ends at its
next call with `Crash`, which no `except Exception` catches.
"""

import heapq
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from greenlet import getcurrent, greenlet  # type: ignore[import-untyped]

START = datetime(2026, 6, 1, tzinfo=UTC)
FOREVER = float("inf")
LONGEST_STEP_S = 0.004
"""Time that one step takes, at most."""


class Crash(BaseException):
    """The process of an actor has died."""


class Died(Exception):
    """The process of somebody who was waited for has died."""


class Violated(BaseException):
    """An invariant did not hold: its name, and what was found."""

    def __init__(self, invariant: str, found: str) -> None:
        super().__init__(f"{invariant}: {found}")
        self.invariant = invariant
        self.found = found


@dataclass(slots=True)
class SimulatedClock:
    """`Clock` of simulated time, to whole milliseconds."""

    seconds: float = 0.0
    sleeper: Callable[[float], None] | None = None

    def now(self) -> datetime:
        return START + timedelta(milliseconds=int(self.seconds * 1000))

    def monotonic(self) -> float:
        return self.seconds

    def sleep(self, seconds: float) -> None:
        if self.sleeper is not None:
            self.sleeper(seconds)


@dataclass(slots=True, eq=False)
class Process:
    """What dies at once: the memory of a worker and everything that runs in it."""

    name: str
    alive: bool = True


@dataclass(slots=True, eq=False)
class Actor:
    """One thread of work. `awaited`: who waits for its end."""

    name: str
    process: Process
    weight: float
    thread: greenlet = field(init=False)
    wake: int = 0
    done: bool = False
    crashed: bool = False
    result: Any = None
    error: Exception | None = None
    awaited: list[tuple["Actor", int]] = field(default_factory=list)


class Scheduler:
    """Runs actors until all have ended. `sticky`: how likely the same one goes on; `skewed`: some
    are much slower than others, for a while.
    """

    def __init__(self, chance: random.Random, *, most_steps: int = 40_000) -> None:
        self.chance = chance
        self.clock = SimulatedClock(sleeper=self.sleep)
        self.steps = 0
        self.moment = 0
        self.trace: list[tuple[Any, ...]] = []
        self.current: Actor | None = None
        self._most_steps = most_steps
        self._sticky = chance.choice((0.0, 0.3, 0.6, 0.9))
        self._skewed = chance.random() < 0.5
        self._ready: list[Actor] = []
        self._asleep: list[tuple[float, int, int, Actor]] = []
        self._actors: list[Actor] = []
        self._count = 0
        self._hub: greenlet = getcurrent()

    def event(self) -> int:
        """The number of this moment: of two events the later one has the greater."""
        self.moment += 1
        return self.moment

    def note(self, *said: Any) -> None:
        """Add a line to the trace."""
        name = self.current.name if self.current is not None else "-"
        self.trace.append((self.steps, name, *said))

    def spawn(
        self, name: str, work: Callable[[], Any], *, process: Process, after: float = 0.0
    ) -> Actor:
        """A new actor that begins after so many seconds."""
        weight = self.chance.random() ** 3 + 0.01 if self._skewed else 1.0
        actor = Actor(name, process, weight)
        actor.thread = greenlet(lambda: self._live(actor, work), parent=self._hub)
        self._actors.append(actor)
        self._put_to_sleep(actor, self.clock.seconds + after)
        return actor

    def run(self) -> None:
        """Until every actor has ended. Raises `Violated`."""
        self._hub = getcurrent()
        for actor in self._actors:
            actor.thread.parent = self._hub
        while self._wake_up() or self._let_time_pass():
            self._go_on(self._chosen())

    def close(self) -> None:
        """End what has not ended."""
        for actor in self._actors:
            actor.process.alive = False
            if actor.thread and not actor.thread.dead:
                self.current = actor
                actor.thread.throw(Crash)
        self.current = None
        self._actors.clear()

    def pause(self) -> None:
        """Others may go on. Raises `Crash` where the process has died."""
        actor = self.current
        if actor is None:
            return
        self._survive(actor)
        self._step()
        self._wake_up()
        if self._ready and self.chance.random() >= self._sticky:
            chosen = self._chosen(actor)
            if chosen is not actor:
                self._ready.append(actor)
                self._hub.switch(chosen)
        self._survive(actor)

    def sleep(self, seconds: float) -> None:
        """Let that much time pass for this actor."""
        actor = self.current
        if actor is None:
            self.clock.seconds += max(0.0, seconds)
            return
        self._survive(actor)
        self._step()
        self._put_to_sleep(actor, self.clock.seconds + max(0.0, seconds))
        self._hub.switch(None)
        self._survive(actor)

    def wait(self, other: Actor, timeout: float | None) -> Any:
        """The result of another actor. Raises what it raised; `TimeoutError` after `timeout`;
        `Died` where it will never have one.
        """
        actor = self.current
        if actor is None:
            raise RuntimeError("only actors wait")
        until = FOREVER if timeout is None else self.clock.seconds + timeout
        self._survive(actor)
        while not other.done:
            if self.clock.seconds >= until:
                raise TimeoutError
            self._put_to_sleep(actor, until)
            other.awaited.append((actor, actor.wake))
            self._hub.switch(None)
            self._survive(actor)
        if other.crashed:
            raise Died
        if other.error is not None:
            raise other.error
        return other.result

    def _live(self, actor: Actor, work: Callable[[], Any]) -> None:
        try:
            if actor.process.alive:
                actor.result = work()
            else:
                actor.crashed = True
        except Crash:
            actor.crashed = True
        except Exception as error:  # noqa: BLE001  # handed to whoever waits for it
            actor.error = error
        actor.done = True
        for other, wake in actor.awaited:
            self._awaken(other, wake)
        actor.awaited.clear()

    def _go_on(self, actor: Actor) -> None:
        chosen: Any = actor
        while chosen is not None:
            self.current = chosen
            chosen = chosen.thread.switch()
        self.current = None

    def _step(self) -> None:
        self.steps += 1
        if self.steps > self._most_steps:
            raise Violated("ends", f"the run has not ended after {self._most_steps} steps")
        self.clock.seconds += self.chance.random() * LONGEST_STEP_S

    def _survive(self, actor: Actor) -> None:
        if not actor.process.alive:
            raise Crash

    def _chosen(self, besides: Actor | None = None) -> Actor:
        """One of those that may go on, taken from them unless it is `besides`."""
        ready = self._ready
        several = len(ready) + (besides is not None)
        if self._skewed and several > 1:
            those = [*ready, besides] if besides is not None else ready
            weights = [one.weight for one in those if one is not None]
            place = self.chance.choices(range(several), weights)[0]
            if self.chance.random() < 0.02:
                those[place].weight = self.chance.random() ** 3 + 0.01
        else:
            place = int(self.chance.random() * several)
        if place == len(ready):
            assert besides is not None
            return besides
        return ready.pop(place)

    def _put_to_sleep(self, actor: Actor, until: float) -> None:
        self._count += 1
        actor.wake = self._count
        heapq.heappush(self._asleep, (until, self._count, actor.wake, actor))

    def _awaken(self, actor: Actor, wake: int) -> None:
        if actor.wake == wake:
            actor.wake = 0
            self._ready.append(actor)

    def _wake_up(self) -> bool:
        """Whether anybody may go on."""
        asleep = self._asleep
        while asleep and asleep[0][0] <= self.clock.seconds:
            _, _, wake, actor = heapq.heappop(asleep)
            self._awaken(actor, wake)
        return bool(self._ready)

    def _let_time_pass(self) -> bool:
        """Go on to the moment at which the next one wakes; False if there is none."""
        asleep = self._asleep
        while asleep:
            until, _, wake, actor = asleep[0]
            if actor.wake == wake and until < FOREVER:
                self.clock.seconds = max(self.clock.seconds, until)
                return self._wake_up()
            heapq.heappop(asleep)
        return False
