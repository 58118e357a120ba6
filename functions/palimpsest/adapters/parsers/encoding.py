"""The encoding of a text: by its mark, by its bytes, by what it declares, by how it reads.

What is no text in any of them is not read at all: junk is never an answer.
"""

import codecs
import re
from typing import BinaryIO, Final

from palimpsest.adapters.parsers.encoding_evidence import ALPHABETS, FREQUENT, evidence
from palimpsest.adapters.parsers.encoding_survey import Survey, survey
from palimpsest.domain.extraction import Unreadable, UnreadableReason

_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_DECLARED: Final = {
    "ascii": "cp1252",  # as browsers take them (https://encoding.spec.whatwg.org/#names-and-labels)
    "us_ascii": "cp1252",
    "latin_1": "cp1252",
    "iso8859_1": "cp1252",
    "iso8859_9": "cp1254",
    "shift_jis": "cp932",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "euc_kr": "cp949",
    "big5": "cp950",
    **{
        name: name
        for name in (
            *("cp932", "euc_jp", "gb18030", "cp949", "cp950", "big5hkscs", "johab", "cp874"),
            *(f"cp{number}" for number in range(1250, 1259)),
            *(f"iso8859_{number}" for number in (2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16)),
            *("koi8_r", "koi8_u", "cp437", "cp850", "cp852", "cp866", "mac_roman", "mac_cyrillic"),
            *("tis_620", "hz", "iso2022_jp", "iso2022_kr", "utf_16", "utf_16_le", "utf_16_be"),
        )
    },
}
_STATEFUL: Final = frozenset({"hz", "iso2022_jp", "iso2022_kr"})
"""These are ASCII byte by byte."""

_ENOUGH: Final = 0.25
"""The least evidence that an encoding is taken for."""

_MORE_OFTEN: Final = 0.1
"""What one encoding has before the others, without any evidence."""

_FEW: Final = 0.002
"""The share of bytes that may be broken in a text whose encoding is known."""

_JAPANESE_ESCAPE: Final = re.compile(rb"\x1b\$[@B]")


def encoding_of(file: BinaryIO, declared: str | None = None) -> str:
    """The name of the codec that reads the file, from its beginning on. `declared`: what it says of
    itself, in its own head or beside it. Raises `Unreadable`.
    """
    file.seek(0)
    head = file.read(4)
    for mark, marked in _MARKS:
        if head.startswith(mark):
            return marked
    found = survey(file)
    codec = found.wide or _by_bytes(found, known(declared)) or _by_reading(found)
    if codec is None and found.is_nearly_ascii:
        return "utf-8"  # what is left out is counted
    if codec is None:
        raise no_text_in_it()
    return codec


def known(declared: str | None) -> str | None:
    """The codec for the name of an encoding; None where there is none that texts are written in."""
    if not declared:
        return None
    try:
        name = codecs.lookup(declared.strip().strip("\"'")).name
    except (LookupError, ValueError):
        return None
    return _DECLARED.get(name.replace("-", "_"))


def no_text_in_it() -> Unreadable:
    """What is to say of a file that is text in no encoding."""
    return Unreadable(
        UnreadableReason.UNSUPPORTED_TYPE, "It is no text in any encoding that is known here."
    )


def _by_bytes(found: Survey, declared: str | None) -> str | None:
    """What the bytes prove, or allow where it is declared."""
    if found.is_binary:
        raise no_text_in_it()
    if declared in _STATEFUL and (b"\x1b" in found.head or b"~{" in found.head):
        return declared
    if _JAPANESE_ESCAPE.search(found.head):
        return "iso2022_jp"
    if found.is_utf8:
        return "utf-8"
    if declared and _broken_share(found.sample, declared) <= _FEW:
        return declared
    return None


def _by_reading(found: Survey) -> str | None:
    """The encoding in which it reads best; None where it is junk in all of them."""
    best, most = None, _ENOUGH
    for codec in (*ALPHABETS, *FREQUENT):
        text = _decoded(found.sample, codec)
        if text is None:
            continue
        weight = evidence(text, codec) + _MORE_OFTEN * (codec == "cp1252")
        if weight > most:
            best, most = codec, weight
    return best


def _decoded(sample: bytes, codec: str) -> str | None:
    """The sample, but for a character that its end cuts in two."""
    try:
        return codecs.getincrementaldecoder(codec)("strict").decode(sample)
    except UnicodeDecodeError:
        if len(sample) > 1 / _FEW and _broken_share(sample, codec) <= _FEW:
            return sample.decode(codec, "ignore")
        return None


def _broken_share(sample: bytes, codec: str) -> float:
    text = codecs.getincrementaldecoder(codec)("replace").decode(sample)
    return text.count("\ufffd") / max(1, len(sample))
