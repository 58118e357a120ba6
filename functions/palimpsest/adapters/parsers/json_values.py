"""JSON: each value with the path to it in words, an object of a list, or a member of the whole, at
a time. It is read as it comes, so that its size does not matter.
"""

import codecs
from collections.abc import Iterator
from typing import Any, Final

import ijson  # type: ignore[import-untyped]

from palimpsest.adapters.parsers import plain_text
from palimpsest.adapters.parsers.flow import Flow
from palimpsest.adapters.parsers.json_paths import JsonPaths, TooDeep
from palimpsest.adapters.parsers.reading import Reading
from palimpsest.adapters.parsers.text_lines import TextLines
from palimpsest.domain.extraction import BlockKind

_BUFFER: Final = 64 * 1024


def read(reading: Reading) -> str | None:
    """Read it; it has no title. What is no JSON, or nested deeper than anybody reads, is read as
    plain text.
    """
    lines, flow = TextLines(reading.source), Flow(reading.out)
    paths = JsonPaths(lambda text: flow.add(BlockKind.TABLE_ROW, text))
    try:
        for event, value in _events(lines):
            paths.take(event, value)
    except (ijson.JSONError, TooDeep, ValueError):
        reading.out.start_again()
        return plain_text.read(reading)
    flow.end()
    reading.out.removed += lines.removed
    return None


def _events(lines: TextLines) -> Iterator[tuple[str, Any]]:
    return ijson.basic_parse(_Utf8(lines), buf_size=_BUFFER)  # type: ignore[no-any-return]


class _Utf8:
    """A text as a file in UTF-8, which is what the parser reads."""

    def __init__(self, lines: TextLines) -> None:
        self._pieces = lines.pieces(_BUFFER // 4)
        self._encode = codecs.getencoder("utf-8")

    def read(self, size: int = -1) -> bytes:
        """The next bytes: as many as a piece of the text has; none at its end, nor for no size."""
        if size == 0:
            return b""
        return self._encode(next(self._pieces, ""))[0]
