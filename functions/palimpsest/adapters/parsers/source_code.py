"""Source code, as it is: blocks are what stands at the left margin, with what belongs to it."""

import re
from typing import Final

from palimpsest.adapters.parsers.line_slices import LineSlices
from palimpsest.adapters.parsers.reading import Reading
from palimpsest.adapters.parsers.text_lines import TextLines
from palimpsest.domain.extraction import BlockKind

_DEFINITION: Final = re.compile(
    r"(?:(?:export|default|public|private|protected|internal|static|final|abstract|async|inline"
    r"|pub(?:\([a-z]+\))?|unsafe|extern|data|sealed|open)\s+)*"
    r"(?:def|class|func|fn|fun|function|interface|struct|enum|impl|trait|module|namespace|type"
    r"|record|object|macro_rules!|sub|proc|package|CREATE|create)\b"
)
_CLOSING: Final = re.compile(r"[\])}]|end\b|else\b|elif\b|except\b|finally\b|catch\b|EOF\b")
_BELONGS_TO_NEXT: Final = re.compile(r"@|#|//|/\*|\*|--|;;|\"\"\"|%|'''|\[")
_SMALL: Final = 200
"""Characters; what is smaller is kept together with what follows a blank line."""

_LARGE: Final = 2000
"""Characters from which on any blank line ends a block."""

_DECLARED: Final = re.compile(
    rb"""<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]+)"""
    rb"""|^[ \t\f]*[#;"/*]+.*?coding[:=][ \t]*([-\w.]+)"""
)


def read(reading: Reading) -> str | None:
    """Read it; it has no title."""
    lines = TextLines(reading.source, _declared(reading))
    slices = LineSlices(reading.out)
    before = ""
    for line in lines:
        if slices.has_text and _begins(line, before, slices):
            slices.end(BlockKind.CODE)
        slices.take(line)
        before = line
        if slices.is_long:
            slices.end(BlockKind.CODE)
    slices.end(BlockKind.CODE)
    reading.out.removed += lines.removed
    return None


def _begins(line: str, before: str, slices: LineSlices) -> bool:
    """Whether a new block begins with this line."""
    if line.isspace():
        return False
    at_margin = not line[0].isspace() and not _CLOSING.match(line)
    if slices.blank_end:
        return slices.size >= (_SMALL if at_margin else _LARGE)
    if not at_margin or slices.size < _SMALL:
        return False
    if _BELONGS_TO_NEXT.match(line):
        return before[0].isspace()
    return _DEFINITION.match(line) is not None and not _BELONGS_TO_NEXT.match(before)


def _declared(reading: Reading) -> str | None:
    """The encoding that an XML declaration or a comment of the first line names."""
    with reading.source.open("rb") as file:
        found = _DECLARED.search(file.read(400))
    return (found[1] or found[2]).decode("ascii") if found else None
