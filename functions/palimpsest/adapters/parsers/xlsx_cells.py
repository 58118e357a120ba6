"""The rows of a sheet of a workbook."""

from collections.abc import Mapping
from typing import Final

from palimpsest.adapters.parsers.header_rows import HeaderRows
from palimpsest.adapters.parsers.xlsx_values import SharedStrings, ValueTexts

_COLUMNS, _ROWS = 16_384, 1_048_576
_LETTERS: Final = 26
_TRUTH: Final = {"0": "FALSE", "1": "TRUE"}


class SheetRows:
    """Takes the events of a sheet and adds its rows, with their numbers from 1, to `rows`."""

    def __init__(self, rows: HeaderRows, strings: SharedStrings, values: ValueTexts) -> None:
        self._rows = rows
        self._strings = strings
        self._values = values
        self._row, self._column = 0, 0
        self._cells: dict[int, str] = {}
        self._type, self._style = "n", 0
        self._parts: list[str] = []
        self._is_value = False
        self._phonetic = False

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        """See `Events.start`."""
        if name == "s:row":
            self._row = _within(attributes.get("r", ""), self._row + 1, _ROWS)
            self._column, self._cells = 0, {}
        elif name == "s:c":
            self._column = _column_of(attributes.get("r", "")) or self._column + 1
            self._type = attributes.get("t", "n")
            self._style = _within(attributes.get("s", ""), 0, _ROWS)
            self._parts = []
        elif name in {"s:v", "s:t"}:
            self._is_value = not self._phonetic
        elif name == "s:rPh":
            self._phonetic = True

    def end(self, name: str) -> None:
        """See `Events.end`."""
        if name in {"s:v", "s:t"}:
            self._is_value = False
        elif name == "s:rPh":
            self._phonetic = False
        elif name == "s:c" and self._parts:
            self._cells[self._column] = self._text("".join(self._parts))
        elif name == "s:row" and self._cells:
            self._rows.add(dict(sorted(self._cells.items())), self._row)

    def text(self, data: str) -> None:
        """See `Events.text`."""
        if self._is_value:
            self._parts.append(data)

    def _text(self, value: str) -> str:
        if self._type == "s":
            return self._strings.at(value)
        if self._type == "b":
            return _TRUTH.get(value.strip(), value)
        if self._type == "n":
            return self._values.text_of(value.strip(), self._style)
        return value


def _column_of(reference: str) -> int:
    """The number of a column from 1, of a reference as `AB12`; 0 where it names none."""
    number = 0
    for letter in reference:
        if not "A" <= letter <= "Z":
            break
        number = number * _LETTERS + ord(letter) - ord("A") + 1
        if number > _COLUMNS:
            return 0
    return number


def _within(number: str, otherwise: int, most: int) -> int:
    digits = len(str(most))
    return int(number) if number.isdecimal() and len(number) <= digits else otherwise
