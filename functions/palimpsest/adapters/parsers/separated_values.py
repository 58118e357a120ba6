"""Values separated by commas, semicolons, tabs or bars: each record a row."""

import csv
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

from palimpsest.adapters.parsers import plain_text
from palimpsest.adapters.parsers.flow import Flow
from palimpsest.adapters.parsers.header_rows import HeaderRows
from palimpsest.adapters.parsers.reading import Reading
from palimpsest.adapters.parsers.text_lines import TextLines
from palimpsest.domain.extraction import BlockKind, Place, Unit

_DELIMITERS: Final = (",", ";", "\t", "|")
_TABS: Final = frozenset({"tsv", "tab"})
_SAMPLE: Final = 200
_LONGEST_FIELD: Final = 1024 * 1024


def read(reading: Reading) -> str | None:
    """Read it; it has no title. What a quote without its end makes one endless value of is read as
    plain text.
    """
    try:
        _read(reading)
    except (csv.Error, _TooLong):
        reading.out.start_again()
        return plain_text.read(reading)
    return None


def _read(reading: Reading) -> None:
    csv.field_size_limit(_LONGEST_FIELD)
    lines = TextLines(reading.source)
    is_tabs = reading.name.extension in _TABS
    delimiter = "\t" if is_tabs else _delimiter(list(islice(_whole(lines), _SAMPLE)))
    flow = Flow(reading.out)

    def hand_on(text: str, number: int) -> None:
        flow.add(BlockKind.TABLE_ROW, text, 0, Place(Unit.ROW, number, number))

    rows = HeaderRows(hand_on)
    for number, values in enumerate(csv.reader(_whole(lines), delimiter=delimiter), 1):
        rows.add(dict(enumerate(values)), number)
    flow.end()
    reading.out.removed += lines.removed


class _TooLong(Exception):
    """A line is longer than any record."""


def _whole(lines: Iterable[str]) -> Iterator[str]:
    """Lines that came in pieces."""
    held = ""
    for line in lines:
        held += line
        if line.endswith("\n"):
            yield held
            held = ""
        elif len(held) > _LONGEST_FIELD:
            raise _TooLong
    if held:
        yield held


def _delimiter(sample: list[str]) -> str:
    """The one by which most records come out with the same number of values; of two that are
    equal, the one that gives more.
    """

    def fitness(delimiter: str) -> tuple[int, int]:
        counted = Counter(len(record) for record in _records(sample, delimiter) if record)
        columns, records = counted.most_common(1)[0] if counted else (0, 0)
        return (records, columns) if columns > 1 else (0, 0)

    return max(_DELIMITERS, key=fitness)


def _records(sample: list[str], delimiter: str) -> list[list[str]]:
    try:
        return list(csv.reader(sample, delimiter=delimiter))
    except csv.Error:
        return []
