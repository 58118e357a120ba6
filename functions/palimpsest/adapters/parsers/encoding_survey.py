"""A first look at all bytes of a text: what they can be, before anything is guessed."""

import codecs
import re
from dataclasses import dataclass
from typing import BinaryIO, Final

_PIECE: Final = 1024 * 1024
_HEAD: Final = 64 * 1024
_SAMPLE: Final = 24 * 1024
"""Bytes of lines beyond ASCII that a guess is made from."""

_CONTROLS: Final = re.compile(rb"[\x01-\x06\x0e-\x1a\x1c-\x1f\x7f]")
_MOST_CONTROLS, _MOST_NULS = 0.02, 0.3
_MOST_CONTROLS_OF_LEGACY, _MOST_NULS_OF_LEGACY = 0.005, 0.02
_FEW: Final = 3
"""Of so many a share says nothing; where it may not be text at all, it is none too many."""
_NULS_OF_ASCII, _NULS_OF_ANY, _NULS_OF_OTHER_HALF = 0.6, 0.05, 0.02
"""Of UTF-16 the least share of NULs in one half of the bytes, where the whole could as well be a
text in UTF-8 that has some, and where it could not; and the most in the other half.
"""

_HIGH: Final = bytes(range(0x80, 0x100))
_BEYOND_ASCII: Final = re.compile(rb"[\x80-\xff]")
_LONGEST_LINE: Final = 4096
_SURROGATE: Final = 3
"""Bytes of half of a surrogate pair, where somebody wrote it as UTF-8."""
_TIMES_AS_MANY: Final = 10
_MOST_DAMAGE: Final = 0.005
_MUCH: Final = 500
"""Broken bytes, after which no more are counted."""


@dataclass(slots=True)
class Survey:
    """What was seen. `wide`: UTF-16 without a mark, if it is that; `head`: the first bytes;
    `sample`: lines that have bytes beyond ASCII.
    """

    head: bytes
    wide: str | None = None
    size: int = 0
    beyond_ascii: int = 0
    nuls: int = 0
    controls: int = 0
    characters: int = 0
    """Beyond ASCII, if it is UTF-8."""
    broken: int = 0
    """Bytes that cannot be UTF-8; half of a surrogate pair is none of them."""
    is_cut: bool = False
    """Whether it ends within a character, if it is UTF-8."""
    sample: bytes = b""

    @property
    def is_utf8(self) -> bool:
        """Whether it is UTF-8, but for damage here and there."""
        if self.broken == 0:
            return not self.is_cut or self.characters > 0
        return self.characters >= _TIMES_AS_MANY * self.broken

    @property
    def is_nearly_ascii(self) -> bool:
        """Whether so little is beyond ASCII that the text is whole without it."""
        return self.beyond_ascii <= _MOST_DAMAGE * self.size

    @property
    def is_binary(self) -> bool:
        """Whether it has more control characters than any text."""
        if self.is_utf8:
            nuls = max(_FEW, _MOST_NULS * self.size)
            controls = max(_FEW, _MOST_CONTROLS * self.size)
        else:
            nuls = _MOST_NULS_OF_LEGACY * self.size
            controls = _MOST_CONTROLS_OF_LEGACY * self.size
        return self.nuls > nuls or self.controls > controls


def survey(file: BinaryIO) -> Survey:
    """Look at the whole file, from its beginning on."""
    file.seek(0)
    head = file.read(_HEAD)
    found = Survey(head, wide=_wide(head))
    if found.wide:
        return found
    decoder = _CountingDecoder()
    piece = head
    while piece:
        found.size += len(piece)
        found.nuls += piece.count(0)
        found.controls += len(_CONTROLS.findall(piece))
        if not piece.isascii() or decoder.is_within:
            found.beyond_ascii += len(piece) - len(piece.translate(None, _HIGH))
            decoder.feed(piece)
            found.sample = _more(found.sample, piece)
        piece = file.read(_PIECE)
    found.characters, found.broken = decoder.characters, decoder.broken
    found.is_cut = decoder.is_within
    return found


def _more(sample: bytes, piece: bytes) -> bytes:
    """The sample with lines of a piece that are beyond ASCII; of a very long one that begins only
    where it is.
    """
    place = 0
    while len(sample) < _SAMPLE and (found := _BEYOND_ASCII.search(piece, place)):
        start = max(place, piece.rfind(b"\n", place, found.start()) + 1)
        if found.start() - start > _LONGEST_LINE:
            start = found.start()
        end = piece.find(b"\n", found.end()) + 1 or len(piece)
        place = min(end, start + _SAMPLE)
        sample += piece[start:place]
    return sample


def _wide(head: bytes) -> str | None:
    """UTF-16 by its NULs: in one half of the bytes there are many, in the other hardly any, and all
    of it can be decoded to what people write.
    """
    pairs = len(head) // 2
    if pairs < 2 or b"\0" not in head:  # noqa: PLR2004  # one character is no pattern
        return None
    first, second = head[: 2 * pairs : 2].count(0), head[1::2].count(0)
    codec = "utf-16-le" if second > first else "utf-16-be"
    least = _NULS_OF_ASCII if _is_utf8(head) else _NULS_OF_ANY
    if max(first, second) < least * pairs or min(first, second) > _NULS_OF_OTHER_HALF * pairs:
        return None
    text = codecs.getincrementaldecoder(codec)("replace").decode(head)
    odd = sum(one == "\ufffd" or not (one.isprintable() or one.isspace()) for one in text)
    return codec if odd <= max(1, _MOST_CONTROLS * len(text)) else None


def _is_utf8(head: bytes) -> bool:
    try:
        codecs.getincrementaldecoder("utf-8")("strict").decode(head)
    except UnicodeDecodeError:
        return False
    return True


class _CountingDecoder:
    """Counts the characters beyond ASCII of UTF-8, and the bytes that break it."""

    def __init__(self) -> None:
        self.characters = self.broken = 0
        self._decoder = codecs.getincrementaldecoder("utf-8")("strict")

    @property
    def is_within(self) -> bool:
        """Whether the last piece ended within a character."""
        return bool(self._decoder.getstate()[0])

    def feed(self, piece: bytes) -> None:
        """Count a piece; after much damage no more is looked at."""
        while piece and self.broken <= _MUCH:
            begun = self._decoder.getstate()[0]
            try:
                text = self._decoder.decode(piece)
            except UnicodeDecodeError as error:
                whole = begun + piece
                self._count(whole[: error.start].decode())
                end = end_of_broken(whole, error.start, error.end)
                self.broken += end - error.start < _SURROGATE
                self._decoder.reset()
                piece = whole[end:]
            else:
                self._count(text)
                return

    def _count(self, text: str) -> None:
        if not text.isascii():
            self.characters += len(text) - len(text.encode("ascii", "ignore"))


def end_of_broken(data: bytes, start: int, end: int) -> int:
    """Where what is broken ends: it is what the decoder says, or half of a surrogate pair."""
    three = data[start : start + _SURROGATE]
    is_half = three[:1] == b"\xed" and b"\xa0" <= three[1:2] <= b"\xbf"
    return start + len(three) if is_half else end
