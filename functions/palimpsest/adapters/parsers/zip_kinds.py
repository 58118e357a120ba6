"""What a zip archive is, by the names of its members."""

import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from palimpsest.adapters.parsers.formats import Format
from palimpsest.domain.extraction import Unreadable, UnreadableReason

_OFFICE: Final = (("word/", Format.DOCX), ("ppt/", Format.PPTX), ("xl/", Format.XLSX))
_BINARY_WORKBOOK: Final = "xl/workbook.bin"
_MIMETYPE: Final = "mimetype"
_LONGEST_MIMETYPE: Final = 100


def kind_of_zip(source: Path) -> Format:
    """The format of a document in a zip archive. Raises `Unreadable` for any other archive."""
    with zipfile.ZipFile(source) as archive:
        names = {name.casefold() for name in archive.namelist()}
        mimetype = _mimetype(archive) if _MIMETYPE in names else ""
    if "epub" in mimetype or (not mimetype and "meta-inf/container.xml" in names):
        return Format.EPUB
    if "[content_types].xml" in names and _BINARY_WORKBOOK not in names:
        found = next((form for folder, form in _OFFICE if _has(names, folder)), None)
        if found is not None:
            return found
    raise Unreadable(UnreadableReason.UNSUPPORTED_TYPE, _advice(mimetype, names))


def _advice(mimetype: str, names: set[str]) -> str:
    if "opendocument" in mimetype:
        return "It is an OpenDocument file; save it as .docx, .xlsx, .pptx or PDF."
    if _BINARY_WORKBOOK in names:
        return "It is a binary Excel workbook; save it as .xlsx."
    return "It is an archive; upload the files in it one by one."


def _has(names: Iterable[str], folder: str) -> bool:
    return any(name.startswith(folder) for name in names)


def _mimetype(archive: zipfile.ZipFile) -> str:
    try:
        with archive.open(_MIMETYPE) as file:
            return file.read(_LONGEST_MIMETYPE).decode("ascii", "replace")
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, KeyError):
        return ""
