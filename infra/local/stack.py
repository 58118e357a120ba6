"""`make run`, `make up` and `make down`: the life of a local stack.

python -m local.stack run     in the foreground until Ctrl-C, with the functions' logs
python -m local.stack up      in the background; returns when a search answers
python -m local.stack down    stops what `up` started, by process id; data is kept
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from types import FrameType

from local import environment, showcase
from local.children import Children, command_line
from local.layout import Layout
from local.supervisor import Supervisor

_UP_SECONDS = 600.0
_DOWN_SECONDS = 60.0


class _StopAsked(BaseException):
    """SIGTERM or Ctrl-C: not an error, and nothing on the way may swallow it."""


def main() -> int:
    """The exit code: 0 done, 1 with a sentence on standard error."""
    verbs: dict[str, Callable[[Layout], int]] = {
        "run": run,
        "serve": serve,
        "up": up,
        "down": down,
    }
    if len(sys.argv) != 2 or sys.argv[1] not in verbs:  # noqa: PLR2004
        print(__doc__, file=sys.stderr)
        return 2
    try:
        return verbs[sys.argv[1]](Layout.from_environment())
    except (RuntimeError, LookupError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1


def run(layout: Layout) -> int:
    """The stack in the foreground, with the functions' logs."""
    return _live(layout, logs=True)


def serve(layout: Layout) -> int:
    """The stack without logs: what `up` starts."""
    return _live(layout, logs=False)


def up(layout: Layout) -> int:
    """Start `serve` in the background and wait until a search answers."""
    if is_running(layout):
        print(f"already running: {environment.read(layout.env_file).get('PALIMPSEST_URL')}")
        return 0
    log = layout.log("stack")
    layout.local.mkdir(mode=0o700, parents=True, exist_ok=True)
    log.parent.mkdir(parents=True, exist_ok=True)
    layout.ready_marker.unlink(missing_ok=True)
    with log.open("wb") as output:
        child = subprocess.Popen(
            [sys.executable, "-m", "local.stack", "serve"],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    shown, deadline = 0, time.monotonic() + _UP_SECONDS
    while time.monotonic() < deadline:
        time.sleep(0.1)
        ready, ended = layout.ready_marker.exists(), child.poll() is not None
        text = log.read_text(errors="replace")
        print(text[shown:], end="", flush=True)
        shown = len(text)
        if ended:
            raise RuntimeError("the stack did not start")
        if ready:
            return 0
    child.terminate()
    raise RuntimeError(f"the stack did not start within {_UP_SECONDS:.0f} s")


def down(layout: Layout) -> int:
    """Stop the stack and wait until it is gone."""
    if not is_running(layout):
        found = Children(layout.local / "children.json").stop_orphans()
        print("stopped what a killed stack had left" if found else "not running")
        layout.pid_file.unlink(missing_ok=True)
        return 0
    pid = _pid(layout)
    os.kill(pid, signal.SIGTERM)
    deadline = time.monotonic() + _DOWN_SECONDS
    while command_line(pid) and time.monotonic() < deadline:
        time.sleep(0.1)
    if command_line(pid):
        raise RuntimeError(f"process {pid} has not stopped within {_DOWN_SECONDS:.0f} s")
    print("stopped; the data is kept")
    return 0


def is_running(layout: Layout) -> bool:
    """Whether the noted process is there and is a stack's."""
    return "local.stack" in command_line(_pid(layout))


def _pid(layout: Layout) -> int:
    text = layout.pid_file.read_text() if layout.pid_file.exists() else ""
    return int(text) if text.strip().isdigit() else 0


def _live(layout: Layout, *, logs: bool) -> int:
    if is_running(layout):
        raise RuntimeError(f"this stack is already running (process {_pid(layout)})")
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _stop)
    supervisor = Supervisor(layout, say=_say)
    try:
        values = supervisor.start()
        supervisor.feed()
        supervisor.load_sample(values)
        print(*showcase.lines(values, showcase.search(values)[1]), sep="\n", flush=True)
        layout.ready_marker.touch()
        if logs:
            _start_logs(supervisor)
        supervisor.serve()
    except _StopAsked:
        _say("stopping; the data is kept")
    finally:
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)
        supervisor.stop()
    return 0


def _start_logs(supervisor: Supervisor) -> None:
    _say("logs of the functions follow; Ctrl-C stops the stack and keeps the data")
    supervisor.children.start(
        "the log reader",
        [sys.executable, "-m", "local.logs"],
        environment=os.environ,
        log=None,
    )


def _stop(_number: int, _frame: FrameType | None) -> None:
    raise _StopAsked


def _say(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main())
