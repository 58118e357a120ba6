"""`DocumentReader` that reads each file in a process of its own, which may crash, hang or be killed
without harm to this one.
"""

import json
import os
import resource
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any, Final

from palimpsest.adapters.parsers.held_document import HeldDocument
from palimpsest.adapters.parsers.limits import Limits
from palimpsest.adapters.parsers.refusals import empty, out_of_time, reason_of_end
from palimpsest.domain.errors import Unavailable
from palimpsest.domain.extraction import Extraction, FileName, Unreadable, UnreadableReason

STAGE: Final = "documents"
_START: Final = (
    "import json, sys; request = json.load(sys.stdin); sys.path[:] = request['path'];"
    " from palimpsest.adapters.parsers.child import main; main(request)"
)
"""The isolated interpreter knows nothing but the standard library until it is told."""

_KEPT: Final = ("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "TZ")
"""Of the environment; no credential is among them."""

_LONGEST_ANSWER: Final = 64 * 1024
_RSS_UNIT: Final = 1 if sys.platform == "darwin" else 1024


class SandboxedReader:
    """`DocumentReader` within limits. What it holds of a file that was read is in a file without a
    name in `folder` (the system's for temporary files): nothing stays when this process ends.
    """

    def __init__(self, limits: Limits | None = None, *, folder: Path | None = None) -> None:
        self._limits = limits or Limits()
        self._folder = folder

    def read(self, source: Path, name: FileName) -> HeldDocument:
        """See `DocumentReader.read`. Raises `Unavailable` where the process cannot be started or
        lacks a parser, which is no fault of the file.
        """
        self._check_size(source)
        blocks = tempfile.TemporaryFile(dir=self._folder)  # noqa: SIM115  # closed by who reads it
        try:
            answer = self._answer(blocks, source, name)
            return HeldDocument(blocks, Extraction(answer["title"], answer["removed"]))
        except BaseException:
            blocks.close()
            raise

    def _check_size(self, source: Path) -> None:
        size = source.stat().st_size
        if size == 0:
            raise empty()
        if size > self._limits.input:
            raise Unreadable(
                UnreadableReason.TOO_LARGE, f"It is larger than {self._limits.input:,} bytes."
            )

    def _answer(self, blocks: IO[bytes], source: Path, name: FileName) -> dict[str, Any]:
        """What the process says of the file. Raises `Unreadable` where it dies of it."""
        reading, writing = os.pipe()
        try:
            request = {
                "path": [str(Path(one).resolve()) for one in sys.path],
                "source": str(source.resolve()),
                "name": name.name,
                "content_type": name.content_type,
                "blocks": blocks.fileno(),
                "answers": writing,
                "limits": asdict(self._limits),
            }
            try:
                process = _started(request, (blocks.fileno(), writing))
            finally:
                os.close(writing)
            return self._heard(process, reading)
        finally:
            os.close(reading)

    def _heard(self, process: subprocess.Popen[bytes], reading: int) -> dict[str, Any]:
        """All that the process writes, until it ends or its time does; then it has ended."""
        deadline = time.monotonic() + self._limits.seconds
        in_time, heard = True, b""
        try:
            for piece in _pieces(reading, deadline):
                heard += piece
                if len(heard) > _LONGEST_ANSWER:
                    break
            in_time = time.monotonic() < deadline
        finally:
            returncode, peak = _ended(process)
        return self._understood(heard, returncode, peak, in_time=in_time)

    def _understood(
        self, heard: bytes, returncode: int, peak: int, *, in_time: bool
    ) -> dict[str, Any]:
        with suppress(ValueError):
            answer: dict[str, Any] = json.loads(heard)
            if "missing" in answer:
                raise Unavailable(f"{answer['missing']} is not installed", stage=STAGE)
            if "reason" in answer:
                raise Unreadable(UnreadableReason(answer["reason"]), answer["detail"])
            return answer
        if not in_time:
            raise out_of_time(self._limits.seconds)
        if not heard:
            raise Unavailable("the reader of files did not start", stage=STAGE)
        raise reason_of_end(
            returncode, peak=peak, memory=self._limits.memory, seconds=self._limits.seconds
        )


def _started(request: dict[str, Any], files: tuple[int, ...]) -> subprocess.Popen[bytes]:
    """The process, in a group of its own, with the request on its way to it."""
    try:
        with tempfile.TemporaryFile() as asked:
            asked.write(json.dumps(request).encode())
            asked.seek(0)
            return subprocess.Popen(  # noqa: S603  # our own interpreter, with a fixed program
                [sys.executable, "-I", "-S", "-B", "-X", "utf8", "-W", "ignore", "-c", _START],
                stdin=asked,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=files,
                env={key: os.environ[key] for key in _KEPT if key in os.environ},
                start_new_session=True,
            )
    except OSError as error:
        raise Unavailable("the reader of files cannot be started", stage=STAGE) from error


def _pieces(reading: int, deadline: float) -> Iterator[bytes]:
    """What comes out of a pipe, until its other end is closed or the time is over."""
    poll = select.poll()
    poll.register(reading, select.POLLIN | select.POLLHUP)
    while (left := deadline - time.monotonic()) > 0:
        if poll.poll(left * 1000):
            piece = os.read(reading, _LONGEST_ANSWER)
            if not piece:
                return
            yield piece


def _ended(process: subprocess.Popen[bytes]) -> tuple[int, int]:
    """End the process and all of its group, whatever it is doing: its return code, negative for a
    signal, and the most memory it had, in bytes (0 where that is not known: until it is a program
    of its own, a process counts what the one has that starts it). Until it is waited for, its
    number is no other's.
    """
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    _pid, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    peak = usage.ru_maxrss if usage.ru_maxrss > own else 0
    return process.returncode, peak * _RSS_UNIT
