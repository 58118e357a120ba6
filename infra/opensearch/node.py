"""One OpenSearch node on this machine, on the loopback, without users and passwords.

    python -m opensearch.node --data FOLDER --port N

runs it in the foreground: this process becomes the node. SIGTERM and Ctrl-C stop it cleanly.
"""

import argparse
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from opensearch.distribution import Distribution, prepare

START_SECONDS = 120.0
_STOP_SECONDS = 30.0
_TERMINATED = 128 + signal.SIGTERM  # as the JVM ends when it is asked to


@dataclass(frozen=True, slots=True)
class Node:
    """A node that serves: its address, and its process, which is Java itself."""

    url: str
    process: subprocess.Popen[bytes]

    @property
    def pid(self) -> int:
        """The id of the process."""
        return self.process.pid

    def stop(self) -> bool:
        """Ask it to end, and wait; whether it ended as asked. What it holds is kept."""
        if self.process.poll() is not None:
            return False
        self.process.terminate()
        try:
            return self.process.wait(_STOP_SECONDS) == _TERMINATED
        except subprocess.TimeoutExpired:
            self.kill()
            return False

    def kill(self) -> None:
        """End it without warning (-9). What it has acknowledged is kept."""
        self.process.kill()
        self.process.wait()


def command(
    distribution: Distribution,
    data: Path,
    *,
    port: int,
    options: Sequence[str] = (),
    environment: Mapping[str, str] = os.environ,
) -> list[str]:
    """The command of a node that keeps its data in a folder; port 0 takes a free one.

    `OPENSEARCH_HEAP` (512m) is the heap; `OPENSEARCH_JAVA_OPTS` comes last and so wins.
    """
    chosen = [
        f"-Xmx{environment.get('OPENSEARCH_HEAP') or '512m'}",
        f"-XX:SharedArchiveFile={distribution.archive}",
        *options,
        *shlex.split(environment.get("OPENSEARCH_JAVA_OPTS", "")),
    ]
    return distribution.command([f"path.data={data}", f"http.port={port}"], chosen)


def start(told: Sequence[str], *, log: Path, seconds: float = START_SECONDS) -> Node:
    """Start a node by its command, and wait until it serves; its output goes on in `log`.

    Raises `RuntimeError` with the log's last lines if it ends first or takes longer.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("ab") as output:
        before = output.tell()
        process = subprocess.Popen(
            told,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    deadline = time.monotonic() + seconds
    try:
        while time.monotonic() < deadline and process.poll() is None:
            url = _ready(log, before)
            if url:
                return Node(url, process)
            time.sleep(0.05)
    except BaseException:  # whoever waits may be stopped: the node must not stay behind
        process.kill()
        process.wait()
        raise
    code = process.poll()
    process.kill()
    process.wait()
    what = f"was not ready within {seconds:.0f} s" if code is None else f"ended (exit code {code})"
    tail = "\n".join(log.read_text(errors="replace").splitlines()[-15:])
    raise RuntimeError(f"the OpenSearch node {what}:\n{tail}")


def _ready(log: Path, before: int) -> str:
    """The address that this start has printed; empty before it has."""
    with log.open("rb") as file:
        file.seek(before)
        for line in file.read().splitlines(keepends=True):
            if line.startswith(b"READY ") and line.endswith(b"\n"):
                return line.split()[1].decode()
    return ""


def main() -> int:
    """Becomes the node; 1 with a sentence on standard error if it cannot."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="where it keeps its indices")
    parser.add_argument("--port", type=int, default=9200, help="default: 9200; 0 takes a free one")
    arguments = parser.parse_args()
    try:
        made = prepare(say=lambda line: print(line, file=sys.stderr, flush=True))
    except RuntimeError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    data = arguments.data.resolve()
    data.mkdir(parents=True, exist_ok=True)
    told = command(made, data, port=arguments.port)
    return os.execv(told[0], told)  # noqa: S606  # so signals and exit code are the node's own


if __name__ == "__main__":
    sys.exit(main())
