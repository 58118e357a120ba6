"""The processes of a stack, found by who started them; nothing else is ever touched."""

import os
import signal
from pathlib import Path


def descendants(pid: int) -> list[int]:
    """Every process that `pid` started, and those that these started."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            parent = _parent(entry)
            if parent is not None:
                children.setdefault(parent, []).append(int(entry.name))
    found: list[int] = []
    wanted = [pid]
    while wanted:
        of_one = children.get(wanted.pop(), [])
        found += of_one
        wanted += of_one
    return found


def command(pid: int) -> str:
    """The command line of a process; empty once it is gone."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""


def talks(pid: int) -> bool:
    """Whether a process has a connection open."""
    try:
        return any("socket:" in str(fd.readlink()) for fd in Path(f"/proc/{pid}/fd").iterdir())
    except OSError:
        return False


def kill(pid: int) -> bool:
    """End a process without warning (-9); False if it was gone."""
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


def _parent(entry: Path) -> int | None:
    try:
        return int((entry / "stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return None
