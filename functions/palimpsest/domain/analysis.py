r"""Text analysis: the terms by which a text is found, the same for what is stored and asked.

- Words are folded (`folding`), stemmed (`stemming`), and dropped if they are English stop words.
- A compound such as `INV-2026-00017`, `10.0.0.1`, `a@b.org`, `C:\repo\main.py` or `C++` is a term
  as a whole, and each of its parts is one too: the very identifier outranks a near miss.
- Scripts without spaces (Han, kana, Thai, Lao, Khmer, Burmese) give bigrams; a run of length one
  gives its character, and Han characters are terms on their own too. Hangul gives its words and
  their bigrams.
- Everything else (emoji, punctuation, control characters) separates. Nothing is query syntax.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from palimpsest.domain.folding import INVISIBLE, MARKS, fold
from palimpsest.domain.stemming import stem

STOP_WORDS = frozenset(
    (
        "a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if",
        "in", "into", "is", "it", "no", "not", "of", "on", "or", "such", "that",
        "the", "their", "then", "there", "these", "they", "this", "to", "was", "will", "with",
    )
)  # fmt: skip
"""The 33 words of Lucene's English stop filter."""

LONGEST_TERM = 255
"""Characters; a longer run is cut into terms of that length, as Lucene's standard tokenizer does.
"""

_HAN = (
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\U00020000-\U000323af"
)
_KANA = "\u3040-\u3098\u309b-\u309f\u30a0-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f"
_HANGUL = "\u1100-\u11ff\u3131-\u318e\ua960-\ua97c\uac00-\ud7fb\uffa0-\uffdc"
_UNSPACED = (
    "\u0e01-\u0e46\u0e81-\u0ec6\u1000-\u1049\u1050-\u109f\u1780-\u17b3\u17d7"
    "\ua9e0-\ua9fe\uaa60-\uaa7a"
)  # Thai, Lao, Burmese, Khmer
_UNSPACED_MARKS = "".join(
    chr(code)
    for first, last in ((0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0xA9E0, 0xAA7F))
    for code in range(first, last + 1)
    if unicodedata.category(chr(code)) in ("Mn", "Mc")
)
"""Exactly the marks of those scripts (`MARKS` runs over letters, which are words by themselves)."""

_SPREADING = f"{_HAN}{_KANA}{_UNSPACED}"
_INSIDE = f"{MARKS}{INVISIBLE}"

_WORD = rf"(?:[0-9A-Za-z]++|(?![{_SPREADING}{_HANGUL}_])[\w{_INSIDE}])++"
_JOINT = r"(?:://|:\\|::|->|(?<=\d)[,，](?=\d)|[-‐‑－._．＿/\\@＠:：&'’+])"
_COMPOUND = rf"{_WORD}(?:(?:_+|{_JOINT}){_WORD})*(?:\+\+|#(?!\w))?"
_TOKEN = re.compile(
    rf"(?P<spread>[{_SPREADING}][{_SPREADING}{_INSIDE}]*)"
    rf"|(?P<hangul>[{_HANGUL}][{_HANGUL}{_INSIDE}]*)"
    rf"|(?P<section>(?<!§)§{{1,2}}\s?\d{{1,9}}[a-z]?(?!\w))"
    rf"|(?P<compound>{_COMPOUND})"
)
_PART = re.compile(_WORD)
_VOWELS = "\u0e32\u0e33\u0eb2\u0eb3"  # Thai and Lao, written behind their consonant
_JOINED = (
    rf"{_UNSPACED_MARKS}\u0300-\u036f\u3099\u309a\ufe00-\ufe0f\U000e0100-\U000e01ef{INVISIBLE}ﾞﾟ"
)
_CLUSTER = re.compile(f"[^{_JOINED}][{_JOINED}{_VOWELS}]*")  # a vowel sign may begin one
_ONE_HAN = re.compile(f"[{_HAN}]")
_ENDINGS = frozenset(("s", "d", "m", "t", "ll", "re", "ve"))
_BIGRAM = 2
_CACHED_TOKEN = 64  # characters; longer tokens seldom come again

Span = tuple[str, int, int]


def terms(text: str) -> list[str]:
    """The terms of a text in order, repetitions included; none for stop words and symbols alone."""
    return [span[0] for match in _TOKEN.finditer(text) for span in _spans_of(match)]


def spans(text: str) -> Iterator[Span]:
    """(term, start, end) with offsets into `text` as given, `end` exclusive; spans may overlap."""
    for match in _TOKEN.finditer(text):
        offset = match.start()
        for term, start, end in _spans_of(match):
            yield term, offset + start, offset + end


def _spans_of(match: re.Match[str]) -> tuple[Span, ...]:
    token, kind = match.group(), match.lastgroup or ""
    if len(token) <= _CACHED_TOKEN:
        return _remembered(token, kind)
    return tuple(_cut(token, kind))


@lru_cache(maxsize=65_536)
def _remembered(token: str, kind: str) -> tuple[Span, ...]:
    return tuple(_cut(token, kind))


def _cut(token: str, kind: str) -> Iterator[Span]:
    if kind == "spread":
        return _bigrams(token)
    if kind == "hangul":
        return _hangul(token)
    if kind == "section":
        return _section(token)
    return _compound(token)


def _bigrams(run: str) -> Iterator[Span]:
    units = [(fold(unit.group()), unit.start(), unit.end()) for unit in _CLUSTER.finditer(run)]
    for (first, start, middle), (second, _, end) in pairwise(units):
        if _ONE_HAN.match(first):
            yield first, start, middle
        yield first + second, start, end
    if units and (len(units) == 1 or _ONE_HAN.match(units[-1][0])):
        yield units[-1]


def _hangul(run: str) -> Iterator[Span]:
    word = fold(run)
    if len(word) <= LONGEST_TERM:
        yield word, 0, len(run)
    if len(word) > _BIGRAM and len(word) == len(run):  # decomposed letters are found by their word
        for start in range(len(run) - _BIGRAM + 1):
            yield word[start : start + _BIGRAM], start, start + _BIGRAM


def _section(token: str) -> Iterator[Span]:
    number = token.lstrip("§").lstrip()
    start = len(token) - len(number)
    yield "§" + fold(number), 0, len(token)
    yield fold(number), start, len(token)


def _compound(token: str) -> Iterator[Span]:
    parts = list(_PART.finditer(token))
    if len(parts) > 1 or parts[0].end() != len(token):
        whole = _whole(token)
        if whole is not None:
            yield whole, 0, len(token)
    for index, part in enumerate(parts):
        word, start = part.group(), part.start()
        if index and token[start - 1] in "'’" and fold(word) in _ENDINGS:
            continue
        for piece in range(0, len(word), LONGEST_TERM):
            end = min(piece + LONGEST_TERM, len(word))
            term = fold(word[piece:end])
            if term not in STOP_WORDS and any(map(str.isalnum, term)):
                yield stem(term), start + piece, start + end


def _whole(token: str) -> str | None:
    """The compound as one term; none where it is too long, or a word with an English ending after
    `'`.
    """
    folded = fold(token) if len(token) <= LONGEST_TERM else ""
    if not any(map(str.isalnum, folded)):
        return None
    left, _, right = folded.partition("'")
    if left.isalpha() and right.isalpha():
        return None if right in _ENDINGS and right != "t" else stem(left + right)
    joined = folded.replace("-", "")
    return stem(joined) if joined.isalpha() else folded  # e-mail is email
