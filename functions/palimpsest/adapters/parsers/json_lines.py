"""JSON Lines: each line a block, with its number."""

import json
from typing import Final

from palimpsest.adapters.parsers.flow import Flow
from palimpsest.adapters.parsers.json_paths import JsonPaths, TooDeep, events_of
from palimpsest.adapters.parsers.reading import Reading
from palimpsest.adapters.parsers.text_lines import TextLines
from palimpsest.domain.extraction import BlockKind, Place, Unit

_LONGEST: Final = 4 * 1024 * 1024
"""Characters of a line that is parsed; a longer one is taken as it is."""


def read(reading: Reading) -> str | None:
    """Read it; it has no title. A line that is no JSON is taken as it is."""
    lines, flow = TextLines(reading.source), Flow(reading.out)
    number, held = 1, ""
    for line in lines:
        held += line
        if line.endswith("\n") or len(held) > _LONGEST:
            _add(flow, held, number)
            held = ""
        number += line.endswith("\n")
    _add(flow, held, number)
    flow.end()
    reading.out.removed += lines.removed
    return None


def _add(flow: Flow, line: str, number: int) -> None:
    texts = list[str]()
    paths = JsonPaths(texts.append)
    try:
        for event, value in events_of(json.loads(line)):
            paths.take(event, value)
    except (ValueError, RecursionError, TooDeep):
        texts = [line]
    text = "; ".join(texts)
    flow.add(BlockKind.TABLE_ROW, text, 0, Place(Unit.LINE, number, number))
