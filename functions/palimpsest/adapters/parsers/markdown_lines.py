"""What a line of Markdown is by itself (CommonMark, and the tables of GitHub)."""

import re
from typing import Final

HEADING: Final = re.compile(r" {0,3}(#{1,6})(?:[ \t]+|$)(.*)")
UNDERLINE: Final = re.compile(r" {0,3}(=+|-+)[ \t]*$")
FENCE: Final = re.compile(r"[ \t]{0,12}(`{3,}+(?!.*`)|~{3,})")
ITEM: Final = re.compile(r"([ \t]*)(?:[-*+]|\d{1,9}[.)])(?:[ \t]+\S|[ \t]*$)")
BREAK: Final = re.compile(r" {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$")
DELIMITER_ROW: Final = re.compile(
    r" {0,3}\|?[ \t]*+:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+)*+\|?[ \t]*+$"
)
INDENTED: Final = re.compile(r"(?: {4}|\t)[ \t]*\S")

_TAB: Final = 4


def indent_of(line: str) -> int:
    """Columns before the first character that is no white space."""
    expanded = line.expandtabs(_TAB)
    return len(expanded) - len(expanded.lstrip(" "))


def is_delimiter_row(line: str, header: str) -> bool:
    """Whether a line makes the one above it the header of a table."""
    return "|" in header and "-" in line and DELIMITER_ROW.match(line.rstrip("\n")) is not None


def heading_text(line: str) -> str:
    """The words of a heading that begins with `#`, without what may close it."""
    found = HEADING.match(line.rstrip("\n"))
    return found[2].strip().rstrip("#").strip() if found else ""
