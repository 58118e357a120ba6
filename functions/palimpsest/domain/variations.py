"""Ways to ask one question: cleaned of what a list of them looks like, and no two alike."""

import re
import unicodedata
from collections.abc import Iterable

LONGEST = 1_000
"""Characters; a longer variation is none."""

_MARKS = re.compile(
    r"^(?:\s|[-*+•‣–—>#]+(?=\s)|\(?\d{1,3}[.):](?=\s)|[*_`]{1,3}|"  # dashes of lists
    r"(?:variation|query|question)\s*\d{0,3}\s*:)+",
    re.IGNORECASE,
)
_LAST = re.compile(r"[\s*_`]+$")
_QUOTES = {'"': '"', "'": "'", "“": "”", "„": "“", "«": "»", "「": "」", "‘": "’"}
_END = re.compile(r"[\s?!.…。？！؟]+$")  # of other scripts
_HEADING = re.compile(r"^\s*#|[:：][\s*_]*$")  # a full-width colon too


def distinct(several: Iterable[str], *, most: int) -> list[str]:
    """The first `most` different ones: the first as it is, the others line by line, without list
    marks, numbers, emphasis and quotation marks. Headings, lines without a letter or digit and
    those that are too long are left out. Case, white space and signs at the end make no difference.
    """
    found: dict[str, str] = {}
    for place, one in enumerate(several):
        for line in [one] if place == 0 else map(_plain, one.splitlines()):
            if len(found) == most:
                return list(found.values())
            if line:
                found.setdefault(_same(line), line)
    return list(found.values())


def _plain(line: str) -> str:
    """A line without what makes it an item of a list; empty if it is no question."""
    if _HEADING.search(line):
        return ""
    said = _LAST.sub("", _MARKS.sub("", line)).strip()
    if len(said) > 1 and _QUOTES.get(said[0]) == said[-1]:
        said = said[1:-1].strip()
    if len(said) > LONGEST or not any(map(str.isalnum, said)):
        return ""
    return said


def _same(said: str) -> str:
    folded = unicodedata.normalize("NFKC", said).casefold()
    return _END.sub("", " ".join(folded.split())) or folded
