"""Folding: the form of a word under which its spellings are one.

Compatibility forms and widths are folded by NFKC, case by the full case folding of Unicode, accents
by taking marks off Latin and Greek letters and the pointing off Hebrew and Arabic ones. Marks that
make another letter stay: Cyrillic й and ї, the dakuten of kana, every vowel sign of the Indic
scripts.
"""

import unicodedata

# Marks (categories Mn and Mc) of Unicode 15, joined across letters, so that a word keeps its marks.
MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a"
    "\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed\u0711-\u07f3\u07fd\u0816-\u082d"
    "\u0859-\u085b\u0898-\u08e1\u08e3-\u0963\u0981-\u09e3\u09fe-\u0a75\u0a81-\u0ae3\u0afa-\u0b63"
    "\u0b82-\u0bd7\u0c00-\u0c63\u0c81-\u0c83\u0cbc-\u0d4d\u0d57-\u0d63\u0d81-\u0df3\u0e31-\u0e3a"
    "\u0e47-\u0e4e\u0eb1-\u0ece\u0f18\u0f19\u0f35\u0f37\u0f39\u0f3e-\u0f84\u0f86-\u0fbc\u0fc6"
    "\u102b-\u103e\u1056-\u109d\u135d-\u135f\u1712-\u1734\u1752-\u17d3\u17dd\u180b-\u180d\u180f-\u193b"
    "\u1a17-\u1a1b\u1a55-\u1a7f\u1ab0-\u1abd\u1abf-\u1b44\u1b6b-\u1b73\u1b80-\u1bf3\u1c24-\u1c37"
    "\u1cd0-\u1cd2\u1cd4-\u1dff\u302a-\u302f\u3099\u309a\ua66f\ua674-\ua67d\ua69e-\ua6f1\ua802-\ua827"
    "\ua82c\ua880-\ua8c5\ua8e0-\ua8f1\ua8ff-\ua92d\ua947-\ua953\ua980-\ua9c0\ua9e5-\uaa4d\uaa7b-\uaac1"
    "\uaaeb-\uaaef\uaaf5\uaaf6\uabe3-\uabea\uabec\uabed\ufb1e\ufe00-\ufe0f\ufe20-\ufe2f"
    "\U00010a01-\U00010a3f\U00011000-\U00011046\U00011070-\U000110ba\U00011100-\U00011134"
    "\U00011145-\U00011173\U00011180-\U000111c0\U000112df-\U00011446\U0001e8d0-\U0001e94a"
    "\U000e0100-\U000e01ef"
)
INVISIBLE = "\u00ad\u061c\u200c\u200d\u2060\ufeff"
"""Format characters that may stand inside a word and are no part of it (soft hyphen, joiners,
marks).
"""

_POINTING = (
    (0x0300, 0x036F),  # combining accents
    (0x0483, 0x0487),  # Cyrillic titlo
    (0x0591, 0x05C7),  # Hebrew points
    (0x0610, 0x061A),  # Arabic signs
    (0x0640, 0x0640),  # Arabic tatweel
    (0x064B, 0x065F),  # Arabic vowels
    (0x0670, 0x0670),
    (0x06D6, 0x06ED),
    (0x1AB0, 0x1AFF),
    (0x1DC0, 0x1DFF),
    (0xFE00, 0xFE0F),  # variation selectors
    (0xFE20, 0xFE2F),
    (0xE0100, 0xE01EF),
)
_BARE = ((0x0000, 0x024F), (0x0370, 0x03FF), (0x0622, 0x0626), (0x06C0, 0x06D3), (0x1E00, 0x1FFF))
"""Blocks whose letters lose their accents: Latin, Greek, the Arabic letters that carry a hamza or
madda.
"""

_LETTERS = {
    "ø": "o", "đ": "d", "ð": "d", "ł": "l", "ħ": "h", "ı": "i", "þ": "th", "æ": "ae", "œ": "oe",
    "ŧ": "t", "ŋ": "n", "ƶ": "z", "ё": "е", "ی": "ي", "ک": "ك", "ى": "ي",
    "\u2010": "-", "\u2011": "-", "\u2019": "'", "\u2044": "/",
}  # fmt: skip


class _Folded(dict[int, str]):
    """Code point to its folded form, found once for each."""

    def __missing__(self, point: int) -> str:
        folded = _fold_character(chr(point))
        self[point] = folded
        return folded


def _within(point: int, blocks: tuple[tuple[int, int], ...]) -> bool:
    return any(first <= point <= last for first, last in blocks)


def _fold_character(character: str) -> str:
    if character in _LETTERS:
        return _LETTERS[character]
    point = ord(character)
    if character in INVISIBLE or _within(point, _POINTING):
        return ""
    digit = unicodedata.decimal(character, None)
    if digit is not None:
        return str(digit)
    if _within(point, _BARE):
        plain = unicodedata.normalize("NFD", character)
        return "".join(_LETTERS.get(c, c) for c in plain if not unicodedata.combining(c))
    return character


_TABLE = _Folded()


def fold(text: str) -> str:
    """`text` without differences of case, width, accent and compatibility form.

    Folding a second time changes nothing. Length may change; nothing else than characters is looked
    at.
    """
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFKC", text).casefold()
    folded = unicodedata.normalize("NFKC", folded).translate(_TABLE)
    return unicodedata.normalize("NFC", folded)
