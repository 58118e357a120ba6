"""Rich Text Format: its text with headings, lists, tables and notes; pictures are passed over."""

from typing import Final

from palimpsest.adapters.parsers.flow import Flow
from palimpsest.adapters.parsers.reading import Reading
from palimpsest.adapters.parsers.rtf_text import RtfText
from palimpsest.adapters.parsers.rtf_words import TOKEN
from palimpsest.domain.extraction import Unreadable, UnreadableReason

_DEEPEST: Final = 10_000


def read(reading: Reading) -> str | None:
    """Read it. Its title is what its information says."""
    text, flow = RtfText(), Flow(reading.out)
    data = reading.source.read_bytes()
    place = depth = 0
    while token := TOKEN.match(data, place):
        place = token.end()
        depth += _take(text, token.groups())
        if token[1] == b"bin":
            place += max(0, int(token[2] or 0))
        if depth > _DEEPEST:
            raise Unreadable(UnreadableReason.CORRUPT, "It is nested too deeply.")
        if token[5] and depth <= 0:
            break  # what follows the outermost group is not of the document
        for piece in text.pieces():
            flow.add(piece.kind, piece.text, piece.level)
    text.end()
    for piece in text.pieces():
        flow.add(piece.kind, piece.text, piece.level)
    flow.end()
    return text.title.strip() or None


def _take(text: RtfText, groups: tuple[bytes | None, ...]) -> int:
    """Hand a token over: by how much it changes the depth of the groups."""
    word, number, code, sign, brace, characters = groups
    if characters is not None:
        text.bytes(characters)
    elif word is not None:
        text.word(word.decode("ascii"), int(number) if number else None)
    elif code is not None:
        text.bytes(bytes.fromhex(code.decode("ascii")))
    elif sign is not None:
        text.symbol(sign.decode("latin-1"))
    elif brace == b"{":
        text.open()
        return 1
    elif brace == b"}":
        text.close()
        return -1
    return 0
