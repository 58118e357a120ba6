"""Mail: who wrote to whom about what and when, then the text; what is attached is only named."""

from collections.abc import Iterator
from email.errors import HeaderParseError
from email.header import decode_header
from email.message import Message
from email.parser import BytesParser
from email.policy import compat32
from typing import Final

from palimpsest.adapters.parsers import plain_text
from palimpsest.adapters.parsers.cells import Piece
from palimpsest.adapters.parsers.encoding import known
from palimpsest.adapters.parsers.flow import Flow
from palimpsest.adapters.parsers.html_page import declared_in, page_of
from palimpsest.adapters.parsers.reading import Reading
from palimpsest.adapters.parsers.text_lines import text_of
from palimpsest.domain.extraction import BlockKind, Unreadable

_SHOWN: Final = ("From", "To", "Cc", "Subject", "Date")
_LONGEST_HEADER: Final = 2000
_TEXT, _HTML = "text/plain", "text/html"


def read(reading: Reading) -> str | None:
    """Read it. Its title is its subject. What has no header of mail is read as plain text."""
    with reading.source.open("rb") as file:
        mail = BytesParser(policy=compat32).parse(file)
    headers = {name: text for name in _SHOWN if (text := _header(mail, name))}
    if not headers and not mail.is_multipart():
        return plain_text.read(reading)
    flow = Flow(reading.out)
    flow.add(BlockKind.PARAGRAPH, "\n".join(f"{key}: {text}" for key, text in headers.items()))
    for piece in _pieces(mail):
        flow.add(piece.kind, piece.text, piece.level)
    flow.end()
    return headers.get("Subject")


def _pieces(part: Message) -> Iterator[Piece]:
    """The text of a part and of those in it. Raises `RecursionError` where nobody nests so deep."""
    kind = part.get_content_type()
    if kind == "multipart/alternative":
        yield from _best(_parts_of(part))
    elif kind.startswith("multipart/"):
        for one in _parts_of(part):
            yield from _pieces(one)
    elif _is_attached(part):
        if name := _attachment_name(part):
            yield Piece(BlockKind.PARAGRAPH, f"Attachment: {name}")
    else:
        yield from _text(part, kind)


def _best(parts: list[Message]) -> Iterator[Piece]:
    """Of several forms of one text the plain one if it says anything, else the last that does."""
    plain = [one for one in parts if one.get_content_type() == _TEXT]
    for part in [*plain, *(one for one in reversed(parts) if one not in plain)]:
        pieces = list(_pieces(part))
        if any(piece.text.strip() for piece in pieces):
            yield from pieces
            return


def _text(part: Message, kind: str) -> Iterator[Piece]:
    data = part.get_payload(decode=True)
    if not isinstance(data, bytes):
        return
    charset = part.get_content_charset() or (declared_in(data) if kind == _HTML else None)
    try:
        text = text_of(data, charset)
    except Unreadable:
        return
    if kind == _HTML:
        yield from page_of(text.replace("\0", "")).pieces
        return
    for paragraph in text.split("\n\n"):
        yield Piece(BlockKind.PARAGRAPH, paragraph)


def _is_attached(part: Message) -> bool:
    if part.get_content_type() not in {_TEXT, _HTML}:
        return True
    return part.get_content_disposition() == "attachment"


def _attachment_name(part: Message) -> str:
    name = part.get_filename()
    if name is None and part.get_content_type() == "message/rfc822":
        name = next((_header(one, "Subject") for one in _parts_of(part)), "")
    return _decoded(name or "")


def _parts_of(part: Message) -> list[Message]:
    parts = part.get_payload()
    return [one for one in parts if isinstance(one, Message)] if isinstance(parts, list) else []


def _header(mail: Message, name: str) -> str:
    """A header as its readers see it; empty where there is none."""
    wanted = name.casefold()
    found = (value for key, value in mail.raw_items() if key.casefold() == wanted)
    return _decoded(str(next(found, "")))


def _decoded(value: str) -> str:
    """Encoded words (RFC 2047) and bytes beyond ASCII as text, in one line."""
    value = value[:_LONGEST_HEADER]
    try:
        parts = decode_header(value)
    except HeaderParseError:
        parts = [(value, None)]
    texts = []
    for data, charset in parts:
        if isinstance(data, str):
            data = data.encode("utf-8", "surrogateescape")  # noqa: PLW2901
        try:
            texts.append(text_of(data, known(charset) or charset))
        except Unreadable:
            texts.append(data.decode("ascii", "ignore"))
    return " ".join("".join(texts).split())
