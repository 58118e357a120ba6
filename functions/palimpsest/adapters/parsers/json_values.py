"""JSON: each value with the path to it in words, an object of a list, or a member of the whole, at
a time. It is read as it comes, so that its size does not matter.
"""

from typing import Final

import ijson  # type: ignore[import-untyped]

from palimpsest.adapters.parsers import plain_text
from palimpsest.adapters.parsers.flow import Flow
from palimpsest.adapters.parsers.json_bytes import JsonBytes
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
    data = JsonBytes(lines.pieces(_BUFFER // 4))
    try:
        for event, value in ijson.basic_parse(data, buf_size=_BUFFER):
            paths.take(event, value)
    except (ijson.JSONError, TooDeep, ValueError):
        reading.out.start_again()
        return plain_text.read(reading)
    flow.end()
    reading.out.removed += lines.removed + data.removed
    return None
