"""Rows of a table as text that stands by itself: each value with the name of its column."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final

BETWEEN: Final = "; "
Row = Mapping[int, str]
"""The values of a row that are not empty, by their columns, from left to right."""

_LONGEST_NAME: Final = 80
_FEWEST_COLUMNS: Final = 2
_TITLE_ROWS: Final = 10
_VALUE: Final = re.compile(
    r"[\s$€£¥+\-(]*[\d.,]+[\s%)€$£¥]*$|\d{1,4}[-/.:]\d{1,2}|https?:|\S+@\S+\."
)
"""What begins like this is a value, not the name of a column."""


class HeaderRows:
    """Takes rows with their numbers and hands texts on. The first row is a header if it has at
    least two columns that could be names, all different; titles in one cell may stand above it.
    """

    def __init__(self, hand_on: Callable[[str, int], None]) -> None:
        self._hand_on = hand_on
        self._names: dict[int, str] | None = None
        self._is_decided = False
        self._seen = 0

    def add(self, row: Row, number: int) -> None:
        """The next row; nothing where it is empty."""
        values = {at: flat for at, value in row.items() if (flat := " ".join(value.split()))}
        if not values:
            return
        self._seen += 1
        if self._is_decided:
            self._hand_on(BETWEEN.join(self._texts(values)), number)
            return
        if _is_header(values):
            self._names = values
        self._is_decided = len(values) >= _FEWEST_COLUMNS or self._seen > _TITLE_ROWS
        self._hand_on(BETWEEN.join(values.values()), number)

    def _texts(self, values: Row) -> Iterator[str]:
        for at, value in values.items():
            name = self._names.get(at) if self._names else None
            yield f"{name}: {value}" if name else value


def _is_header(values: Row) -> bool:
    names = list(values.values())
    return (
        len(names) >= _FEWEST_COLUMNS
        and len(set(names)) == len(names)
        and all(len(name) <= _LONGEST_NAME and not _VALUE.match(name) for name in names)
    )
