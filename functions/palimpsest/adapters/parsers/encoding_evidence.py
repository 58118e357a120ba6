"""How well a text reads if its bytes are taken for one encoding or another.

A guess by whether bytes can be decoded is none: nearly all can be, in nearly every encoding. What
tells is the outcome: the right one gives the letters of one language, in words; a wrong one gives
letters of no language, capitals inside words, and characters that hardly anybody writes.
"""

from collections.abc import Iterator
from typing import Final

from palimpsest.adapters.parsers.alphabets import (
    CYRILLIC,
    GREEK,
    HAN_SIMPLIFIED,
    HAN_TRADITIONAL,
    HANGUL,
    KANA,
    KANJI,
    LATIN,
    TYPOGRAPHY,
)

FREQUENT: Final = {
    "cp932": KANA | KANJI,
    "euc_jp": KANA | KANJI,
    "gb18030": HAN_SIMPLIFIED,
    "big5": HAN_TRADITIONAL,
    "cp949": HANGUL | frozenset("“”‘’·"),
}
"""Of encodings of two bytes a character: what their texts are full of."""

ALPHABETS: Final = {
    **{codec: tuple(map(frozenset, alphabets)) for codec, alphabets in LATIN.items()},
    "cp1251": tuple(map(frozenset, CYRILLIC)),
    "koi8_r": tuple(map(frozenset, CYRILLIC)),
    "cp866": tuple(map(frozenset, CYRILLIC)),
    "cp1253": tuple(map(frozenset, GREEK)),
}
"""Of encodings of one byte a character: the letters of the languages that use them. Those that come
first are taken where two fit equally well.
"""

_OWN_LETTERS: Final = frozenset({"cp1251", "koi8_r", "cp866", "cp1253"})
"""A word in these is wholly in letters beyond ASCII; in the others hardly more than two meet."""

_USUAL: Final = frozenset("оеаинтсрвлкмдαοιεντσςρηκάίόέή")
"""The letters that texts in Cyrillic and Greek letters have most of."""

_COMMON, _LETTER, _SIGN, _ELSE, _STRANGE, _JUNK = 1.0, 0.7, 0.7, -0.1, -0.5, -1.0
_BY_ITSELF: Final = 0.2
"""The weight of a letter that stands alone, and of a sign where words are wholly beyond ASCII."""

_MOST_IN_A_ROW: Final = 2


def evidence(text: str, codec: str) -> float:
    """What speaks for a text that was decoded with `codec`, for each of its characters beyond
    ASCII: 1 is a perfect text, 0 and less is junk.
    """
    if codec in FREQUENT:
        weights = _wide(text, FREQUENT[codec])
    else:
        weights = _narrow(text, ALPHABETS[codec], own=codec in _OWN_LETTERS)
    found = list(weights)
    return sum(found) / len(found) if found else 0.0


def _wide(text: str, frequent: frozenset[str]) -> Iterator[float]:
    """Of a text in two bytes a character."""
    before = " "
    for place, character in enumerate(text):
        if character >= "\x80":
            after = text[place + 1 : place + 2]
            if character in frequent:
                yield _COMMON
            elif not _is_wide(character):
                yield _JUNK
            elif _is_small_letter(before) or _is_small_letter(after):
                yield _STRANGE
            else:
                yield -_ELSE if "\uac00" <= character <= "\ud7a3" else _ELSE
        before = character


def _is_wide(character: str) -> bool:
    """Whether a character is of those that such encodings are for; half-width kana are not."""
    return (
        "\u3000" <= character <= "\u9fff"
        or "\uac00" <= character <= "\ud7a3"
        or "\uff01" <= character <= "\uff5e"
        or "\u2010" <= character <= "\u266f"
        or "\u0391" <= character <= "\u0451"
    )


def _is_small_letter(character: str) -> bool:
    return "a" <= character <= "z"


def _narrow(text: str, alphabets: tuple[frozenset[str], ...], *, own: bool) -> Iterator[float]:
    """Of a text in one byte a character: the language is the one that has most of its letters."""
    letters = [one for one in text.lower() if one >= "\x80" and one.isalpha()]
    alphabet = max(alphabets, key=lambda one: sum(letter in one for letter in letters))
    before, row = " ", 0
    for place, character in enumerate(text):
        row = row + 1 if character >= "\x80" and character.isalpha() else 0
        if character >= "\x80":
            after = text[place + 1 : place + 2]
            weight = _weight(before, character, after, alphabet)
            yield (
                _in_own_letters(before, character, after, weight)
                if own
                else (_JUNK if row > _MOST_IN_A_ROW else weight)
            )
        before = character


def _weight(before: str, character: str, after: str, alphabet: frozenset[str]) -> float:
    if character in TYPOGRAPHY:
        inside = before.isalpha() and after.isalpha() and character not in "’\xad·-–—"
        return _STRANGE if inside else _SIGN
    if not character.isalpha():
        return _JUNK
    if character.lower()[0] not in alphabet:
        return _STRANGE
    if character.isupper() and before.islower():
        return _JUNK
    return _COMMON if before.isalpha() or after.isalpha() else _BY_ITSELF


def _in_own_letters(before: str, character: str, after: str, weight: float) -> float:
    """The weight where words are wholly beyond ASCII: there a letter of ASCII beside one that is
    none is as wrong as can be.
    """
    if weight <= 0:
        return weight
    around = [one for one in (before, after) if one.isalpha()]
    if not character.isalpha() or not around:
        return _BY_ITSELF
    if any(one.isascii() for one in around):
        return _JUNK
    return weight if character.lower() in _USUAL else _LETTER
