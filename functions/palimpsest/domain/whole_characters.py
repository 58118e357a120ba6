"""Characters as a reader sees them: several code points may be one, and a cut must not part them.

This is the part of Unicode's rules for grapheme clusters (UAX 29) that a cut is likely to meet.
"""

import unicodedata

LONGEST = 64
"""Code points; what is longer is no character, and may be parted."""

_JOINER = "\u200d"
_EXTENDING = frozenset({"Mn", "Me", "Mc"})
_ALSO_EXTENDING = (
    ("\u200c", _JOINER),
    ("\u1160", "\u11ff"),  # Hangul vowels and finals
    ("\ud7b0", "\ud7fb"),
    ("\uff9e", "\uff9f"),  # voiced marks of half-width kana
    ("\U0001f3fb", "\U0001f3ff"),  # skin tones
    ("\U000e0020", "\U000e007f"),  # tags of flags
)
_VIRAMA = 9
"""The combining class of the sign that joins a consonant to the next one."""

_FIRST_LETTER_OF_FLAGS, _LAST_LETTER_OF_FLAGS = "\U0001f1e6", "\U0001f1ff"


def whole_end(text: str, end: int) -> int:
    """The last place at or before `end` that parts no character; `end` where there is none but the
    very beginning, so that something is left.
    """
    place = end
    while 0 < place < len(text) and end - place <= LONGEST and _are_one(text, place):
        place -= 1
    return place if place > 0 and end - place <= LONGEST else end


def _are_one(text: str, place: int) -> bool:
    """Whether the code points before and at a place belong together."""
    before, at = text[place - 1], text[place]
    if before == _JOINER or before + at == "\r\n" or unicodedata.category(at) in _EXTENDING:
        return True
    if unicodedata.combining(before) == _VIRAMA and unicodedata.category(at) == "Lo":
        return True  # a conjunct of Indian scripts
    if any(first <= at <= last for first, last in _ALSO_EXTENDING):
        return True
    return _is_flag_letter(at) and _flag_letters_before(text, place) % 2 == 1


def _is_flag_letter(character: str) -> bool:
    return _FIRST_LETTER_OF_FLAGS <= character <= _LAST_LETTER_OF_FLAGS


def _flag_letters_before(text: str, place: int) -> int:
    first = place
    while first and _is_flag_letter(text[first - 1]):
        first -= 1
    return place - first
