"""Pieces: a text cut where a reader would pause."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from palimpsest.domain.borders import Border
from palimpsest.domain.embedding import is_blank
from palimpsest.domain.whole_characters import LONGEST, whole_end

LONGEST_BLANK = 4_096
"""Code points of white space that belong to a piece; what a longer run has beyond is left out."""

_AHEAD = LONGEST + 2
_BEFORE = 4_096  # code points that tell whether a place is within a character; an even number
_SHORT = 4  # what is shorter than this part of a piece does not make one of its own
_UNMARKED = "\u0300"  # below, no code point belongs to the one before it but a line feed

_CLOSERS = "\"'”’»)\\]}*_」』）】》〉"
_STOPS, _FULL_STOPS = ".!?…", "。！？｡।॥؟۔።။།៕…"  # the latter need no space behind them
_PAUSES = re.compile(  # begins with the characters that matter, so that all others are skipped fast
    rf"[\n{_STOPS}{_FULL_STOPS}](?:(?<=\n)[^\S\n]*\n|(?<=[{_STOPS}])[{_STOPS}]*+[{_CLOSERS}]*+(?=\s|\Z)"
    rf"|(?<=[{_FULL_STOPS}])[{_FULL_STOPS}]*+[{_CLOSERS}]*+)"
)
_LAST_CLAUSE = re.compile(r"(?s).*(?:[,;:—–](?=\s)|[，；：、،؛|](?=.)|\S(?=[\n\t]))")
_LAST_WORD = re.compile(r"(?s).*\S(?=\s)")
_LAST_BLANK_LINE = re.compile(r"(?s).*\S[^\S\n]*(?=\n[^\S\n]*\n)")
_BLANK = re.compile(r"\s*+")
_TO_NEXT_LINE = re.compile(r"[^\S\n]*+(?:\n(?:[^\S\n]*+\n)*)?")  # indentation is the line's own
_IDEOGRAPHS = re.compile(
    "[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)
_ABBREVIATED = re.compile(
    "mrs?|ms|dr|prof|[sj]r|st|vs|nos?|figs?|eq|sec|vol|pp|eds?|al|inc|ltd|co|corp|dept|jan|feb|mar|"
    "apr|jun|jul|aug|sept?|oct|nov|dec|nr|abb|abs|art|bzw|ca|hr|hrsg|str|tel|vgl|mme|mlle|"
    r"гг?|ул|им|др|рис|стр|тыс|млн|[^\W\d_](?:\.[^\W\d_])*"
)


class Span(NamedTuple):
    """A piece of a text, and what stands before it (of the first one: nothing is known)."""

    start: int
    end: int
    border: int


class _Cut(NamedTuple):
    """Where a piece ends, white space apart, and what parts it from the next."""

    end: int
    border: int


def spans(text: str, *, size: int, lines: bool = False) -> Iterator[Span]:
    """The pieces of a text, in order: each ends at a pause (`lines`: preferably after a line), has
    at most `size` bytes of UTF-8 or is one character, and takes the white space behind it (the
    first one that before it, too). No character is parted, no piece is blank; together they are the
    text but for white space beyond `LONGEST_BLANK`. A blank text has no pieces.
    """
    held: Span | None = None
    begin, border, most = 0, 0, 0
    for start, cut, after in _steps(text, size, lines=lines):
        end = after
        if after - cut.end > LONGEST_BLANK:
            end = whole_end_of_blank(text, cut.end, cut.end + LONGEST_BLANK)
        if not text[start].isalnum() and is_blank(text[start : cut.end]):
            if held and held.end == start:
                held = held._replace(end=whole_end_of_blank(text, start, min(end, most)))
        else:
            if held:
                yield held
            begin = start if held else lead_begin(text, start)
            held, border = Span(begin, end, border), 0
            most = cut.end + LONGEST_BLANK
        border = max(border, _behind(text, cut, after, lines=lines))
    if held:
        yield held


def _steps(text: str, size: int, *, lines: bool) -> Iterator[tuple[int, _Cut, int]]:
    """By piece, where it starts, where it ends without the white space behind it, and where the
    next one starts.
    """
    blank = _TO_NEXT_LINE if lines else _BLANK
    place = _behind_blank(blank, text, 0)
    cut = _Cut(0, Border.PARAGRAPH)
    if place:
        yield 0, _Cut(0, 0), place
    while place < len(text):
        start, goes_on = place, cut.border < Border.SENTENCE
        cut = _next_cut(text, place, size, lines=lines, goes_on=goes_on)
        place = _behind_blank(blank, text, cut.end)
        yield start, cut, place


def _behind_blank(blank: re.Pattern[str], text: str, place: int) -> int:
    found = blank.match(text, place)
    return whole_end_of_blank(text, place, found.end()) if found else place


def whole_end_of_blank(text: str, start: int, end: int) -> int:
    """The last place up to `end`, and not before `start`, that parts no character."""
    while end > start and not is_whole(text, end):
        end -= 1
    return end


def lead_begin(text: str, start: int) -> int:
    """Where the white space before the first piece, which starts at `start`, begins to be its."""
    begin = max(0, start - LONGEST_BLANK)
    while begin and not is_whole(text, begin):
        begin += 1
    return begin


def _behind(text: str, cut: _Cut, after: int, *, lines: bool) -> int:
    """The border behind a piece, which a blank line makes stronger."""
    if text.count("\n", cut.end, after) > 1:
        return max(cut.border, Border.ITEM if lines else Border.PARAGRAPH)
    return cut.border


def _next_cut(text: str, start: int, size: int, *, lines: bool, goes_on: bool) -> _Cut:
    """Where the piece ends that starts there; `goes_on`: in the middle of a sentence."""
    most = _code_points(text, start, size)
    window = text[start : start + most + _AHEAD]
    least = 0 if goes_on else most // _SHORT
    found = _line_end(window, most) if lines else _sentence_end(window, most, least)
    if found is None:
        rest = len(window) <= most
        found = _Cut(len(window), Border.SENTENCE) if rest else _forced(window, most)
    return _Cut(start + found.end, found.border)


def _code_points(text: str, start: int, size: int) -> int:
    """How many code points fit into so many bytes; at least one."""
    some = text[start : start + size]
    if some.isascii():
        return size
    return max(1, len(some.encode()[:size].decode(errors="ignore")))


def _sentence_end(window: str, most: int, least: int) -> _Cut | None:
    """The first end of a sentence that leaves no scrap, else the last one there is."""
    found = None
    for pause in _PAUSES.finditer(window, 1):
        is_blank_line = pause[0][0] == "\n"
        end = pause.start() if is_blank_line else pause.end()
        if end > most:
            break
        if is_blank_line:
            return _Cut(end, Border.PARAGRAPH)
        if is_whole(window, end) and not _goes_on(window, pause):
            found = _Cut(end, Border.SENTENCE)
            if end >= least:
                break
    return found


def _goes_on(window: str, pause: re.Match[str]) -> bool:
    """Whether a full stop ends an abbreviation rather than a sentence."""
    start, end = pause.span()
    if end - start > 1 or window[start] != ".":
        return False
    if window[end : end + 3].lstrip()[:1].islower():
        return True
    word = window[max(0, start - 8) : start].rpartition(" ")[2].lstrip("(\"'")
    return _ABBREVIATED.fullmatch(word.lower()) is not None


def _line_end(window: str, most: int) -> _Cut | None:
    """The last blank line that leaves no scrap, else the end of the last whole line."""
    found = _LAST_BLANK_LINE.match(window, 0, min(len(window), most + 2))
    if found and most // _SHORT <= found.end() <= most and is_whole(window, found.end()):
        return _Cut(found.end(), Border.ITEM)
    if len(window) <= most:
        return None
    end = window.rfind("\n", 1, most + 1)
    return _Cut(end, Border.SENTENCE) if end > 0 and is_whole(window, end) else None


def _forced(window: str, most: int) -> _Cut:
    """A cut within a sentence: behind a clause, else a word, else where it must be."""
    for pattern, least, border in (
        (_LAST_CLAUSE, most // 2, Border.CLAUSE),
        (_LAST_WORD, 0, Border.WORD),
    ):
        found = pattern.match(window, least, most + 1)
        if found and found.end() <= most and is_whole(window, found.end()):
            return _Cut(found.end(), border)
    end = whole_end("\n" + window, most + 1) - 1
    if end < 1:
        end = most + 1
        while end < len(window) and not is_whole(window, end):
            end += 1
    near = _IDEOGRAPHS.search(window, end - 1, end + 1)
    return _Cut(end, Border.WORD if near else Border.CHARACTER)


def is_whole(text: str, place: int) -> bool:
    """Whether a cut there parts no character of a text that begins with a whole one."""
    if not 0 < place < len(text):
        return True
    before, at = text[place - 1], text[place]
    if before < _UNMARKED and at < _UNMARKED:
        return before + at != "\r\n"
    some = text[max(0, place - _BEFORE) : place + 1]
    return whole_end("\n" + some, len(some)) == len(some)
