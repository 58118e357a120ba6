"""What the cells of a workbook show: its shared strings, and numbers that are dates."""

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final

from palimpsest.adapters.parsers.xml_events import feed
from palimpsest.adapters.parsers.zip_archive import Archive

_BUILT_IN_DATES: Final = frozenset({*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)})
"""Of ECMA-376, 18.8.30, with those of East Asia."""

_QUOTED: Final = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]|_.|\*.')
_DATE_LETTERS: Final = re.compile(r"[ymdhs]", re.IGNORECASE)
_ELAPSED: Final = re.compile(r"\[(?:h+|m+|s+)\]", re.IGNORECASE)
_LAST_DAY: Final = 2_958_465
_NO_SUCH_DAY: Final = 60
"""Day 60 is the 29 February 1900, which never was; the days before it are one off."""

_DIGITS: Final = 15
_SHORT: Final = 12
_LONGEST_FORMAT: Final = 255


class SharedStrings:
    """The texts that cells name by number."""

    def __init__(self, archive: Archive, part: str | None) -> None:
        self._texts: list[str] = []
        if part is not None and part in archive:
            with archive.open(part) as file:
                feed(file, _StringEvents(self._texts))

    def at(self, number: str) -> str:
        """The text of a number; empty where there is none."""
        place = int(number) if number.strip().isdecimal() and len(number) < _SHORT else -1
        return self._texts[place] if 0 <= place < len(self._texts) else ""


class ValueTexts:
    """Numbers as text; those whose format shows a date as ISO 8601 has it."""

    def __init__(self, archive: Archive, part: str | None, *, from_1904: bool) -> None:
        self._first_day = datetime(1904, 1, 1) if from_1904 else datetime(1899, 12, 30)  # noqa: DTZ001
        self._from_1904 = from_1904
        styles = _StyleEvents()
        if part is not None and part in archive:
            with archive.open(part) as file:
                feed(file, styles)
        self._is_date = [styles.is_date(number) for number in styles.formats]

    def text_of(self, value: str, style: int) -> str:
        """A number as a cell in that style shows it."""
        try:
            number = float(value)
        except ValueError:
            return value
        if 0 <= style < len(self._is_date) and self._is_date[style] and 0 <= number <= _LAST_DAY:
            return self._date(number)
        return value if len(value) <= _DIGITS else f"{number:.{_DIGITS}g}"

    def _date(self, number: float) -> str:
        if number < 1:
            return _time(timedelta(days=number))
        if number < _NO_SUCH_DAY and not self._from_1904:
            number += 1
        moment = self._first_day + timedelta(seconds=round(number * 86_400))
        if moment.time() == datetime.min.time():
            return moment.date().isoformat()
        return moment.isoformat(sep=" ", timespec="minutes" if moment.second == 0 else "seconds")


def _time(since_midnight: timedelta) -> str:
    minutes, seconds = divmod(round(since_midnight.total_seconds()), 60)
    text = f"{minutes // 60:02}:{minutes % 60:02}"
    return f"{text}:{seconds:02}" if seconds else text


class _StringEvents:
    def __init__(self, texts: list[str]) -> None:
        self._texts = texts
        self._parts: list[str] = []
        self._is_text = self._phonetic = False

    def start(self, name: str, _attributes: Mapping[str, str]) -> None:
        if name == "s:si":
            self._parts = []
        elif name == "s:t":
            self._is_text = not self._phonetic
        elif name == "s:rPh":
            self._phonetic = True

    def end(self, name: str) -> None:
        self._is_text = False
        if name == "s:si":
            self._texts.append("".join(self._parts))
        elif name == "s:rPh":
            self._phonetic = False

    def text(self, data: str) -> None:
        if self._is_text:
            self._parts.append(data)


class _StyleEvents:
    def __init__(self) -> None:
        self.formats: list[str] = []
        """Of each style of cells, the number of its format."""
        self._codes: dict[str, str] = {}
        self._in_cells = False

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "s:numFmt":
            self._codes[attributes.get("numFmtId", "")] = attributes.get("formatCode", "")
        elif name == "s:cellXfs":
            self._in_cells = True
        elif name == "s:xf" and self._in_cells:
            self.formats.append(attributes.get("numFmtId", "0"))

    def end(self, name: str) -> None:
        if name == "s:cellXfs":
            self._in_cells = False

    def text(self, data: str) -> None:
        pass

    def is_date(self, number: str) -> bool:
        code = self._codes.get(number)
        if code is None:
            return number.isdecimal() and len(number) < _SHORT and int(number) in _BUILT_IN_DATES
        if _ELAPSED.search(code):
            return False  # hours that may be more than a day has
        return (
            _DATE_LETTERS.search(_QUOTED.sub("", code[:_LONGEST_FORMAT].partition(";")[0]))
            is not None
        )
