"""The scheduler: actors take turns at their calls only, sleep in simulated time, and die with their
process.
"""

import random

import pytest

from simulation.scheduling import Crash, Died, Process, Scheduler, Violated


def test_time_passes_only_where_somebody_sleeps_or_steps() -> None:
    scheduler = Scheduler(random.Random(1))
    woken: list[tuple[str, int]] = []

    def sleeper(name: str, seconds: float) -> None:
        scheduler.sleep(seconds)
        woken.append((name, round(scheduler.clock.monotonic())))

    for name, seconds in (("late", 60.0), ("soon", 1.0)):
        scheduler.spawn(name, lambda n=name, s=seconds: sleeper(n, s), process=Process(name))  # type: ignore[misc]
    scheduler.run()
    assert woken == [("soon", 1), ("late", 60)]


def test_whoever_waits_gets_the_result_or_the_failure_or_runs_out_of_time() -> None:
    scheduler = Scheduler(random.Random(1))
    seen: list[object] = []
    mine, other = Process("mine"), Process("other")

    def failing() -> None:
        raise ValueError("no")

    def dying() -> None:
        scheduler.pause()
        other.alive = False
        raise Crash

    def waiting() -> None:
        seen.append(scheduler.wait(scheduler.spawn("ok", lambda: 1, process=mine), None))
        for work, kind, process in ((failing, ValueError, mine), (dying, Died, other)):
            with pytest.raises(kind):
                scheduler.wait(scheduler.spawn("bad", work, process=process), None)
        slow = scheduler.spawn("slow", lambda: scheduler.sleep(50), process=mine)
        with pytest.raises(TimeoutError):
            scheduler.wait(slow, 5)
        seen.append(round(scheduler.clock.monotonic()))

    scheduler.spawn("waiting", waiting, process=mine)
    scheduler.run()
    assert seen == [1, 5]


def test_an_actor_of_a_dead_process_ends_at_its_next_call_whatever_it_catches() -> None:
    scheduler = Scheduler(random.Random(1))
    process, reached = Process("p"), []

    def stubborn() -> None:
        try:
            scheduler.pause()
        except Exception:  # noqa: BLE001
            reached.append("caught")
        reached.append("went on")

    process_of_the_killer = Process("killer")
    scheduler.spawn("stubborn", stubborn, process=process, after=1.0)
    scheduler.spawn(
        "killer", lambda: setattr(process, "alive", False), process=process_of_the_killer
    )
    scheduler.run()
    assert reached == []


def test_a_run_that_does_not_end_is_a_violation() -> None:
    scheduler = Scheduler(random.Random(1), most_steps=100)

    def forever() -> None:
        while True:
            scheduler.sleep(1)

    scheduler.spawn("forever", forever, process=Process("p"))
    with pytest.raises(Violated, match="has not ended"):
        scheduler.run()
    scheduler.close()
