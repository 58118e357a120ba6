"""The programs that a stack starts: each by its own process id, each in its own session.

Their ids and command lines are noted in a file, so that a supervisor that was killed leaves no
orphan behind for good: the next start ends those, and only those that still run the noted command.
"""

import json
import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

_GRACE_SECONDS = 15.0


@dataclass(slots=True)
class Children:
    """The children of one stack, noted in `note`."""

    note: Path
    running: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    def start(
        self, name: str, command: Sequence[str], *, environment: Mapping[str, str], log: Path | None
    ) -> None:
        """Start `command`, out of reach of the terminal's Ctrl-C; output in `log` (None: ours)."""
        with ExitStack() as stack:
            output = None
            if log is not None:
                log.parent.mkdir(parents=True, exist_ok=True)
                output = stack.enter_context(log.open("wb"))
            self.running[name] = subprocess.Popen(
                command,
                env=dict(environment),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT if output else None,
                start_new_session=True,
            )
        noted = {str(p.pid): " ".join(map(str, _arguments(p))) for p in self.running.values()}
        self.note.write_text(json.dumps(noted))

    def ended(self) -> str | None:
        """A sentence about a child that has ended by itself, if one has."""
        for name, child in self.running.items():
            code = child.poll()
            if code is not None:
                how = f"signal {-code}" if code < 0 else f"exit code {code}"
                return f"{name} has ended ({how})"
        return None

    def stop(self) -> bool:
        """End all, the last started first. True if each ended when asked to."""
        clean = True
        for child in reversed(self.running.values()):
            clean = _end(child) and clean
        self.running.clear()
        self.note.unlink(missing_ok=True)
        return clean

    def stop_orphans(self) -> int:
        """End the noted children of a supervisor that is gone; the number of those found alive."""
        if not self.note.exists():
            return 0
        noted: dict[str, str] = json.loads(self.note.read_text())
        alive = [int(pid) for pid, command in noted.items() if command_line(int(pid)) == command]
        for pid in alive:
            os.kill(pid, signal.SIGTERM)
        deadline = time.monotonic() + _GRACE_SECONDS
        while any(map(command_line, alive)) and time.monotonic() < deadline:
            time.sleep(0.1)
        for pid in filter(command_line, alive):
            os.kill(pid, signal.SIGKILL)
        self.note.unlink()
        return len(alive)


def command_line(pid: int) -> str:
    """The command of the process `pid`; empty if there is none (or only a zombie)."""
    if Path("/proc/self").exists():
        try:
            return (
                Path(f"/proc/{pid}/cmdline")
                .read_bytes()
                .rstrip(b"\0")
                .replace(b"\0", b" ")
                .decode()
            )
        except OSError:
            return ""
    told = subprocess.run(
        ["ps", "-o", "command=", "-p", str(pid)], capture_output=True, text=True, check=False
    )
    return told.stdout.strip()


def _arguments(child: subprocess.Popen[bytes]) -> Sequence[str]:
    return child.args if isinstance(child.args, list | tuple) else [str(child.args)]


def _end(child: subprocess.Popen[bytes]) -> bool:
    if child.poll() is not None:
        return False
    child.terminate()
    try:
        child.wait(_GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
        return False
    return True
