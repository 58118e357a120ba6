"""Children that are to last: started again when they end, unless they cannot."""

import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from local.children import Children, command_line

SLEEPER = [sys.executable, "-c", "import time; print('up', flush=True); time.sleep(60)"]
QUITTER = [sys.executable, "-c", "raise SystemExit(3)"]


@pytest.fixture
def children(tmp_path: Path) -> Iterator[Children]:
    made = Children(tmp_path / "note")
    yield made
    made.stop()


def start(children: Children, command: list[str], *, restart: bool = True) -> Path:
    log = children.note.with_name("child.log")
    children.start("a child", command, environment=os.environ, log=log, restart=restart)
    return log


def wait(log: Path, starts: int) -> None:
    deadline = time.monotonic() + 10
    while log.read_text().count("up") < starts:
        assert time.monotonic() < deadline
        time.sleep(0.01)


def kill(children: Children) -> int:
    child = children.running["a child"]
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    return child.pid


def test_a_killed_child_that_is_to_last_is_started_again_and_that_is_said(
    children: Children,
) -> None:
    log = start(children, SLEEPER)
    wait(log, 1)
    assert children.revive() == []
    former = kill(children)
    assert children.revive() == ["a child has ended (signal 9) and is started again"]
    wait(log, 2)  # the log goes on
    pid = children.running["a child"].pid
    assert pid != former
    assert f'"{pid}"' in children.note.read_text()
    assert f'"{former}"' not in children.note.read_text()
    assert children.revive() == []


def test_it_is_back_within_two_seconds_whatever_its_supervisor_waits_for(
    children: Children,
) -> None:
    log, said = start(children, SLEEPER), list[str]()
    wait(log, 1)
    with children.revived(said.append):
        began = time.monotonic()
        kill(children)
        wait(log, 2)
        assert time.monotonic() - began < 2
    assert len(said) == 1
    kill(children)
    time.sleep(0.6)
    assert len(said) == 1
    assert children.ended() == "a child has ended (signal 9)"


def test_at_a_start_its_end_is_told_and_later_it_is_not(children: Children) -> None:
    start(children, SLEEPER)
    kill(children)
    assert children.ended() == "a child has ended (signal 9)"
    assert children.ended(lasting=False) is None


def test_any_other_child_stays_ended(children: Children) -> None:
    start(children, QUITTER, restart=False)
    children.running["a child"].wait()
    assert children.revive() == []
    assert children.ended(lasting=False) == "a child has ended (exit code 3)"


def test_a_child_that_ends_over_and_over_is_given_up(children: Children) -> None:
    start(children, QUITTER)
    said = []
    while children.ended(lasting=False) is None:
        children.running["a child"].wait()
        said += children.revive()
    assert len(said) == 10
    assert children.ended(lasting=False) == "a child has ended (exit code 3)"


def test_a_stop_that_finds_it_dead_is_clean(children: Children) -> None:
    start(children, SLEEPER)
    pid = kill(children)
    assert children.stop()
    assert command_line(pid) == ""
    assert children.revive() == []


@pytest.mark.parametrize("end", ["os.kill(os.getpid(), signal.SIGKILL)", "os._exit(1)"])
def test_a_stop_that_finds_it_dying_of_something_else_is_not_clean(
    children: Children, end: str
) -> None:
    dying = f"import os, signal, time; signal.signal(signal.SIGTERM, lambda *_: {end})"
    log = start(
        children,
        [sys.executable, "-c", f"{dying}; print('up', flush=True); time.sleep(60)"],
        restart=False,
    )
    wait(log, 1)
    assert not children.stop()


def test_a_new_start_begins_a_new_log(children: Children) -> None:
    log = start(children, SLEEPER)
    wait(log, 1)
    assert children.stop()
    start(children, SLEEPER)
    wait(log, 1)
    assert log.read_text() == "up\n"
