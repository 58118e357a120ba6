"""Blocks as lines of JSON: how they go from the process that reads a file to the one that asked."""

import json
from typing import Any, Final

from palimpsest.domain.extraction import Block, BlockKind, Place, Unit

_KINDS: Final = {kind.value: kind for kind in BlockKind}
_UNITS: Final = {unit.value: unit for unit in Unit}
_encode: Final = json.JSONEncoder(ensure_ascii=False, check_circular=False).encode


def line_of(block: Block) -> bytes:
    """A block as one line, its end included."""
    fields: list[Any] = [block.kind.value, block.text, block.level, block.title]
    if block.place is not None:
        fields += [block.place.unit.value, *block.place[1:]]
    return _encode(fields).encode() + b"\n"


def block_of(line: bytes) -> Block:
    """The block that a line holds."""
    kind, text, level, title, *place = json.loads(line)
    if not place:
        return Block(_KINDS[kind], text, level, title=title)
    unit, first, last, within = place
    return Block(_KINDS[kind], text, level, Place(_UNITS[unit], first, last, within), title)
