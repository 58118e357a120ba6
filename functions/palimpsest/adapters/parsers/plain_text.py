"""Plain text, as it is: its paragraphs are what blank lines part."""

from palimpsest.adapters.parsers.line_slices import LineSlices
from palimpsest.adapters.parsers.reading import Reading
from palimpsest.adapters.parsers.text_lines import TextLines
from palimpsest.domain.extraction import BlockKind


def read(reading: Reading) -> str | None:
    """Read it; it has no title."""
    lines = TextLines(reading.source)
    slices = LineSlices(reading.out)
    for line in lines:
        if slices.blank_end and slices.has_text and not line.isspace():
            slices.end(BlockKind.PARAGRAPH)
        slices.take(line)
        if slices.is_long:
            slices.end(BlockKind.PARAGRAPH)
    slices.end(BlockKind.PARAGRAPH)
    reading.out.removed += lines.removed
    return None
