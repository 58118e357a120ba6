"""The programs that a stack starts: each by its own process id, each in its own session.

Their ids and command lines are noted in a file, so that a supervisor that was killed leaves no
orphan behind for good: the next start ends those, and only those that still run the noted command.
"""

import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

_GRACE_SECONDS = 15.0
_REVIVING_SECONDS = 0.5
_MOST_REVIVALS, _REVIVALS_WITHIN_SECONDS = 10, 60.0
"""A child that ends more often than this has a fault that no start mends."""
_ASKED_TO_END = {0, -signal.SIGTERM, 128 + signal.SIGTERM}
"""Exit codes of a child that has ended because it was asked to."""


@dataclass(slots=True)
class _Lasting:
    """What starts a child again, and when that was done (monotonic seconds)."""

    command: Sequence[str]
    environment: Mapping[str, str]
    log: Path | None
    revived: list[float] = field(default_factory=list)


@dataclass(slots=True)
class Children:
    """The children of one stack, noted in `note`."""

    note: Path
    running: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    _lasting: dict[str, _Lasting] = field(default_factory=dict)

    def start(
        self,
        name: str,
        command: Sequence[str],
        *,
        environment: Mapping[str, str],
        log: Path | None,
        restart: bool = False,
    ) -> None:
        """Start `command`, out of reach of the terminal's Ctrl-C; output in `log` (None: ours).

        `restart`: its sudden end loses nothing. So `revive` starts it again, and `stop` may find it
        ended and still be clean.
        """
        if log is not None:
            log.unlink(missing_ok=True)
        if restart:
            self._lasting[name] = _Lasting(command, environment, log)
        self._spawn(name, command, environment=environment, log=log)

    @contextmanager
    def revived(self, say: Callable[[str], None]) -> Iterator[None]:
        """Meanwhile `revive` twice a second, whatever the caller waits for: what a dead child holds
        up may be just that.
        """
        done = threading.Event()

        def look() -> None:
            while not done.wait(_REVIVING_SECONDS):
                for sentence in self.revive():
                    say(sentence)

        thread = threading.Thread(target=look, daemon=True)
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()

    def revive(self) -> list[str]:
        """Start again what has ended and is to last; a sentence about each. What ends over and
        over is to last no longer.
        """
        sentences, now = [], time.monotonic()
        for name, kept in list(self._lasting.items()):
            how = _how_ended(self.running[name])
            if not how:
                continue
            kept.revived = [at for at in kept.revived if now - at < _REVIVALS_WITHIN_SECONDS]
            if len(kept.revived) >= _MOST_REVIVALS:
                del self._lasting[name]
                continue
            kept.revived.append(now)
            self._spawn(name, kept.command, environment=kept.environment, log=kept.log)
            sentences.append(f"{name} has ended ({how}) and is started again")
        return sentences

    def ended(self, *, lasting: bool = True) -> str | None:
        """A sentence about a child that has ended by itself, if one has; without `lasting`, of
        those that `revive` does not start again.
        """
        for name, child in self.running.items():
            how = _how_ended(child) if lasting or name not in self._lasting else ""
            if how:
                return f"{name} has ended ({how})"
        return None

    def stop(self) -> bool:
        """End all, the last started first. True if each that must ended because it was asked to."""
        clean = True
        for name, child in reversed(self.running.items()):
            clean = (_end(child) or name in self._lasting) and clean
        self.running.clear()
        self._lasting.clear()
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

    def _spawn(
        self, name: str, command: Sequence[str], *, environment: Mapping[str, str], log: Path | None
    ) -> None:
        with ExitStack() as stack:
            output = None
            if log is not None:
                log.parent.mkdir(parents=True, exist_ok=True)
                output = stack.enter_context(log.open("ab"))  # after what the one before has said
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


def _how_ended(child: subprocess.Popen[bytes]) -> str:
    """How a child has ended by itself; empty while it runs."""
    code = child.poll()
    if code is None:
        return ""
    return f"signal {-code}" if code < 0 else f"exit code {code}"


def _end(child: subprocess.Popen[bytes]) -> bool:
    if child.poll() is not None:
        return False
    child.terminate()
    try:
        child.wait(_GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
    return child.returncode in _ASKED_TO_END  # it may have been dying already, of something else
