"""The lines of a text file, decoded, one after another."""

import codecs
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from palimpsest.adapters.parsers.cutting import good_end
from palimpsest.adapters.parsers.encoding import encoding_of, no_text_in_it
from palimpsest.adapters.parsers.encoding_survey import end_of_broken

LONGEST: Final = 16 * 1024
"""Characters that a line is handed out in at most; a longer one comes in pieces."""

_HANDLER: Final = "palimpsest-leave-out"
_MOST_BROKEN: Final = 0.02
_FEW: Final = 100


class TextLines:
    r"""Lines with their ends, which are all `\n`; the last one may have none. A byte order mark and
    bytes that are no character are left out, and counted in `removed` (not the mark). Raises
    `Unreadable`, where there are too many of them also at the end.
    """

    def __init__(self, source: Path, declared: str | None = None) -> None:
        self._source = source
        with source.open("rb") as file:
            self.codec = encoding_of(file, declared)
        self._nuls = self._broken = 0

    @property
    def removed(self) -> int:
        """How many characters were left out of what was handed out."""
        return self._nuls + self._broken

    def __iter__(self) -> Iterator[str]:
        """All lines, from the first one on."""
        held = ""
        with self._opened() as file:
            while piece := file.readline(LONGEST):
                line, held = held + piece, ""
                if len(piece) == LONGEST and not piece.endswith("\n"):
                    end = good_end(line, len(line) - 1)
                    line, held = line[:end], line[end:]
                if line := self._without_nuls(line):
                    yield line
        if held := self._without_nuls(held):
            yield held
        self._check()

    def pieces(self, size: int = 64 * 1024) -> Iterator[str]:
        """The same in pieces of that many characters."""
        with self._opened() as file:
            while piece := file.read(size):
                yield self._without_nuls(piece)
        self._check()

    def _without_nuls(self, text: str) -> str:
        if "\0" not in text:
            return text
        self._nuls += text.count("\0")
        return text.replace("\0", "")

    def _opened(self) -> io.TextIOWrapper:
        """The file, opened so that what cannot be decoded is counted. There is one such handler in
        a process: a file is read in a process of its own.
        """
        self._nuls = self._broken = 0

        def leave_out(error: UnicodeError) -> tuple[str, int]:
            if not isinstance(error, UnicodeDecodeError):
                raise error
            self._broken += 1
            return "", end_of_broken(error.object, error.start, error.end)

        codecs.register_error(_HANDLER, leave_out)
        return self._source.open(encoding=self.codec, errors=_HANDLER)

    def _check(self) -> None:
        if self._broken > max(_FEW, _MOST_BROKEN * self._source.stat().st_size):
            raise no_text_in_it()


def text_of(data: bytes, declared: str | None = None) -> str:
    r"""The text of some bytes, without a mark, line ends all `\n`. Raises `Unreadable`."""
    codec = encoding_of(io.BytesIO(data), declared)
    text = data.decode(codec, "ignore")
    return text.replace("\r\n", "\n").replace("\r", "\n")
