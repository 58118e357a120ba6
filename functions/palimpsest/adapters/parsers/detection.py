"""What a file is: by what it holds first, by its name and type only among formats that are text.

A file that is two things at once has one reading: what its first bytes are; a PDF that begins
somewhat later (as its readers allow) comes after everything that begins at the beginning.
"""

import re
from pathlib import Path
from typing import Final

from palimpsest.adapters.parsers.compound_file import refuse_compound_file
from palimpsest.adapters.parsers.formats import Format, text_format_by_name
from palimpsest.adapters.parsers.zip_kinds import kind_of_zip
from palimpsest.domain.extraction import FileName, Unreadable, UnreadableReason

_HEAD: Final = 1024
_TAIL: Final = 2048

_COMPOUND: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ZIPS: Final = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
_PDF: Final = re.compile(rb"%PDF-\d")
_PDF_END: Final = re.compile(rb"%%EOF|startxref")
_HTML: Final = re.compile(
    rb"\A(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]{0,200}\?>\s*)?(?:<!--.{0,400}?-->\s*)?"
    rb"<(?:!doctype\s+html|html|head|body)\b",
    re.IGNORECASE | re.DOTALL,
)
_TAR: Final = (257, b"ustar")

_REFUSED: Final = (
    (b"\x1f\x8b", "an archive"),
    (b"BZh", "an archive"),
    (b"\xfd7zXZ\x00", "an archive"),
    (b"7z\xbc\xaf\x27\x1c", "an archive"),
    (b"Rar!\x1a\x07", "an archive"),
    (b"\x28\xb5\x2f\xfd", "an archive"),
    (b"\x89PNG\r\n\x1a\n", "an image"),
    (b"\xff\xd8\xff", "an image"),
    (b"GIF87a", "an image"),
    (b"GIF89a", "an image"),
    (b"II*\x00", "an image"),
    (b"MM\x00*", "an image"),
    (b"8BPS", "an image"),
    (b"\x00\x00\x01\x00", "an image"),
    (b"\x7fELF", "a program"),
    (b"MZ\x90\x00", "a program"),
    (b"\xca\xfe\xba\xbe", "a program"),
    (b"\xcf\xfa\xed\xfe", "a program"),
    (b"\x00asm", "a program"),
    (b"RIFF", "sound or video"),
    (b"OggS", "sound or video"),
    (b"fLaC", "sound or video"),
    (b"ID3", "sound or video"),
    (b"\x1aE\xdf\xa3", "sound or video"),
    (b"SQLite format 3\x00", "a database"),
    (b"PAR1", "a database"),
    (b"wOFF", "a font"),
    (b"wOF2", "a font"),
    (b"OTTO\x00", "a font"),
    (b"\x00\x01\x00\x00\x00", "a font"),
)


def format_of(source: Path, name: FileName) -> Format:
    """The format in which the file is read. Raises `Unreadable` where none is."""
    with source.open("rb") as file:
        head = file.read(_HEAD)
        file.seek(max(0, source.stat().st_size - _TAIL))
        tail = file.read(_TAIL)
    if _PDF.match(head):
        return Format.PDF
    if head.startswith(_ZIPS):
        return kind_of_zip(source)
    if head.startswith(_COMPOUND):
        refuse_compound_file(source)
    if head.startswith(b"{\\rtf"):
        return Format.RTF
    _refuse_known(head)
    if _PDF.search(head) and (name.extension == "pdf" or _PDF_END.search(tail)):
        return Format.PDF
    return _text_format(head, name)


def _refuse_known(head: bytes) -> None:
    """Raises `Unreadable` for what is known to be no text."""
    offset, mark = _TAR
    what = next((what for magic, what in _REFUSED if head.startswith(magic)), None)
    if head[offset:].startswith(mark):
        what = "an archive"
    if what is not None:
        raise Unreadable(
            UnreadableReason.UNSUPPORTED_TYPE, f"It is {what}, whatever its name says."
        )


def _text_format(head: bytes, name: FileName) -> Format:
    """What claims to be plain text, or nothing, and begins like a web page is one."""
    found = text_format_by_name(name)
    if found in {None, Format.TEXT} and _HTML.match(head):
        return Format.HTML
    return found or Format.TEXT
