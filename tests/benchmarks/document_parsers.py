"""The bare parser of each format, in this process: the library below ours, without the sandbox, the
structure and the places. Where there is none below ours (Markdown, RTF) it is our own reader.
"""

import csv
import io
import json
import zipfile
from collections.abc import Callable, Mapping
from email import message_from_bytes
from email.policy import compat32
from xml.parsers import expat

import pypdfium2  # type: ignore[import-untyped]
from selectolax.lexbor import LexborHTMLParser

from document_files import read_here


def _text(data: bytes) -> int:
    return len(data.decode())


def _html(data: bytes) -> int:
    return len(LexborHTMLParser(data).text())


def _pdf(data: bytes) -> int:
    with pypdfium2.PdfDocument(data) as document:
        return sum(len(page.get_textpage().get_text_range()) for page in document)


def _xml(data: bytes) -> int:
    parts: list[str] = []
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.CharacterDataHandler = parts.append
    parser.Parse(data, True)
    return len("".join(parts))


def _office(data: bytes) -> int:
    """Every part of the archive that is XML."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        names = [name for name in archive.namelist() if name.endswith((".xml", ".rels"))]
        return sum(_xml(archive.read(name)) for name in names)


def _epub(data: bytes) -> int:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        pages = [name for name in archive.namelist() if name.endswith("html")]
        return sum(_html(archive.read(name)) for name in pages)


def _csv(data: bytes) -> int:
    return sum(len(cell) for row in csv.reader(io.StringIO(data.decode())) for cell in row)


def _json_lines(data: bytes) -> int:
    return sum(len(json.loads(line)) for line in data.splitlines())


def _email(data: bytes) -> int:
    """Its plain text."""
    parts = message_from_bytes(data, policy=compat32).walk()
    plain = [one for one in parts if one.get_content_type() == "text/plain"]
    return sum(len(bytes(one.get_payload(decode=True)).decode()) for one in plain)


def _own(name: str) -> Callable[[bytes], int]:
    return lambda data: len(read_here(data, name).text)


PARSERS: Mapping[str, Callable[[bytes], int]] = {
    "txt": _text,
    "markdown": _own("report.md"),
    "html": _html,
    "pdf": _pdf,
    "docx": _office,
    "pptx": _office,
    "xlsx": _office,
    "csv": _csv,
    "jsonl": _json_lines,
    "eml": _email,
    "epub": _epub,
    "rtf": _own("report.rtf"),
}
"""By format, what reads the bytes of a file and tells how much it found."""
