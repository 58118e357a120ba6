"""PDF files for tests, written by hand: text at places, images, outlines, passwords."""

import hashlib
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

_PADDING = bytes.fromhex("28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A")
_WIDTH, _HEIGHT = 595, 842


@dataclass(frozen=True)
class Line:
    """A line of text, `x` and `y` in points from the lower left corner."""

    text: str
    y: float
    x: float = 72
    size: float = 11


@dataclass(frozen=True)
class Page:
    """A page: lines, and an image as large as the page if it is a `scan`."""

    lines: Sequence[Line] = ()
    scan: bool = False


@dataclass(frozen=True)
class Pdf:
    """A document. `outline`: titles and pages from 0. With a `password` (which may be empty) it is
    encrypted with RC4, as revision 3 of the standard handler has it.
    """

    pages: Sequence[Page]
    title: str | None = None
    outline: Sequence[tuple[str, int]] = ()
    password: str | None = None
    compress: bool = True


def lines_of(*paragraphs: str, size: float = 11, top: float = 770, gap: float = 12) -> list[Line]:
    """Paragraphs, one under another: each string of them is cut at its line ends."""
    lines, y = [], top
    for paragraph in paragraphs:
        for text in paragraph.split("\n"):
            lines.append(Line(text, y, size=size))
            y -= size * 1.25
        y -= gap
    return lines


def pdf(document: Pdf) -> bytes:
    """The bytes of it."""
    count = len(document.pages)
    first_page = 6
    kids = " ".join(f"{first_page + 2 * n} 0 R" for n in range(count))
    outline_at = first_page + 2 * count
    bodies: dict[int, bytes] = {
        1: b"<</Type/Catalog/Pages 2 0 R"
        + (f"/Outlines {outline_at} 0 R>>".encode() if document.outline else b">>"),
        2: f"<</Type/Pages/Kids[{kids}]/Count {count}>>".encode(),
        3: b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
    }
    streams: dict[int, tuple[bytes, bytes]] = {
        4: (
            b"/Subtype/Image/Width 1/Height 1/ColorSpace/DeviceGray/BitsPerComponent 8",
            b"\x80",
        )
    }
    strings: dict[int, str] = {5: document.title or ""}
    for number, page in enumerate(document.pages):
        at = first_page + 2 * number
        bodies[at] = (
            f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 {_WIDTH} {_HEIGHT}]/Contents {at + 1} 0 R"
            "/Resources<</Font<</F1 3 0 R>>/XObject<</I1 4 0 R>>>>>>"
        ).encode()
        streams[at + 1] = (b"", _content(page))
    for place, (title, page_number) in enumerate(document.outline):
        at = outline_at + 1 + place
        links = f"/Parent {outline_at} 0 R/Dest[{first_page + 2 * page_number} 0 R/Fit]"
        if place:
            links += f"/Prev {at - 1} 0 R"
        if place + 1 < len(document.outline):
            links += f"/Next {at + 1} 0 R"
        bodies[at] = f"<</Title({title}){links}>>".encode()
    if document.outline:
        last = outline_at + len(document.outline)
        bodies[outline_at] = (
            f"<</Type/Outlines/First {outline_at + 1} 0 R/Last {last} 0 R>>".encode()
        )
    return _written(document, bodies, streams, strings)


def _content(page: Page) -> bytes:
    parts = [f"q {_WIDTH} 0 0 {_HEIGHT} 0 0 cm /I1 Do Q"] if page.scan else []
    for line in page.lines:
        text = line.text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
        parts.append(f"BT /F1 {line.size} Tf 1 0 0 1 {line.x} {line.y} Tm ({text}) Tj ET")
    return "\n".join(parts).encode("cp1252")


def _written(
    document: Pdf,
    bodies: dict[int, bytes],
    streams: dict[int, tuple[bytes, bytes]],
    strings: dict[int, str],
) -> bytes:
    key = None if document.password is None else _key(document.password.encode())
    out = bytearray(b"%PDF-1.6\n%\xe2\xe3\xcf\xd3\n")
    places: dict[int, int] = {}
    for number in sorted({*bodies, *streams, *strings}):
        places[number] = len(out)
        out += f"{number} 0 obj\n".encode()
        if number in bodies:
            out += bodies[number]
        elif number in strings:
            title = strings[number].encode("cp1252")
            out += b"<</Title<" + _encrypted(key, number, title).hex().encode() + b">>>"
        else:
            head, data = streams[number]
            if document.compress:
                head, data = head + b"/Filter/FlateDecode", zlib.compress(data)
            data = _encrypted(key, number, data)
            out += (
                b"<<" + head + f"/Length {len(data)}>>\nstream\n".encode() + data + b"\nendstream"
            )
        out += b"\nendobj\n"
    start = len(out)
    highest = max(places)
    out += f"xref\n0 {highest + 1}\n0000000000 65535 f \n".encode()
    for number in range(1, highest + 1):
        out += f"{places[number]:010} 00000 n \n".encode()
    out += (
        f"trailer\n<</Size {highest + 1}/Root 1 0 R/Info 5 0 R{_encryption(document)}>>\n".encode()
    )
    out += f"startxref\n{start}\n%%EOF\n".encode()
    return bytes(out)


_ID = bytes(range(16))
_PERMISSIONS = b"\xfc\xff\xff\xff"


def _owner_entry() -> bytes:
    """Of an owner's password that nobody knows."""
    digest = _md5(b"owner" + _PADDING[:27])
    for _ in range(50):
        digest = _md5(digest)
    entry = rc4(digest, _PADDING)
    for number in range(1, 20):
        entry = rc4(bytes(byte ^ number for byte in digest), entry)
    return entry


def _key(password: bytes) -> bytes:
    padded = (password + _PADDING)[:32]
    digest = _md5(padded + _owner_entry() + _PERMISSIONS + _ID)
    for _ in range(50):
        digest = _md5(digest)
    return digest


def _encryption(document: Pdf) -> str:
    if document.password is None:
        return ""
    key = _key(document.password.encode())
    entry = rc4(key, _md5(_PADDING + _ID))
    for number in range(1, 20):
        entry = rc4(bytes(byte ^ number for byte in key), entry)
    owner, user = _owner_entry().hex(), (entry + bytes(16)).hex()
    return (
        f"/Encrypt<</Filter/Standard/V 2/R 3/Length 128/P -4/O<{owner}>/U<{user}>>>"
        f"/ID[<{_ID.hex()}><{_ID.hex()}>]"
    )


def _encrypted(key: bytes | None, number: int, data: bytes) -> bytes:
    if key is None:
        return data
    salted = _md5(key + number.to_bytes(3, "little") + b"\0\0")
    return rc4(salted, data)


def _md5(data: bytes) -> bytes:
    return hashlib.md5(data, usedforsecurity=False).digest()


def rc4(key: bytes, data: bytes) -> bytes:
    """RC4, as old PDF files are encrypted with."""
    box = list(range(256))
    at = 0
    for place in range(256):
        at = (at + box[place] + key[place % len(key)]) % 256
        box[place], box[at] = box[at], box[place]
    out = bytearray()
    first = at = 0
    for byte in data:
        first = (first + 1) % 256
        at = (at + box[first]) % 256
        box[first], box[at] = box[at], box[first]
        out.append(byte ^ box[(box[first] + box[at]) % 256])
    return bytes(out)
