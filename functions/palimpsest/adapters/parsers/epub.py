"""Electronic books: their parts in the order in which they are read."""

import io
from collections.abc import Mapping
from typing import Final
from urllib.parse import unquote

from palimpsest.adapters.parsers.flow import Flow
from palimpsest.adapters.parsers.html_page import Page, declared_in, page_of
from palimpsest.adapters.parsers.reading import Reading
from palimpsest.adapters.parsers.text_lines import text_of
from palimpsest.adapters.parsers.xml_events import feed
from palimpsest.adapters.parsers.zip_archive import Archive, member_beside
from palimpsest.domain.clean import without_broken
from palimpsest.domain.extraction import BlockKind, Place, Unit, Unreadable, UnreadableReason

_CONTAINER, _ENCRYPTION = "META-INF/container.xml", "META-INF/encryption.xml"
_PAGES: Final = frozenset({"application/xhtml+xml", "text/html", "application/x-dtbook+xml"})
_FONTS_ONLY: Final = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
_LONGEST_NAME: Final = 100


def read(reading: Reading) -> str | None:
    """Read it. Its title is what its package says."""
    flow = Flow(reading.out)
    with Archive(reading.source, reading.limits) as archive:
        _refuse_protected(archive)
        path = _package_path(archive)
        package = _Package()
        feed(io.BytesIO(archive.read(path)), package)
        for number, target in enumerate(package.spine, 1):
            name = member_beside(path, unquote(target.partition("#")[0]))
            if name in archive:
                _add(flow, _page(archive.read(name)), number, book="".join(package.title))
    flow.end()
    return "".join(package.title).strip() or None


def _page(data: bytes) -> Page:
    return page_of(text_of(data, declared_in(data)).replace("\0", ""))


def _add(flow: Flow, page: Page, number: int, *, book: str) -> None:
    """Add a part. Its name is its first heading, else a title that is not that of the book."""
    headings = (one.text for one in page.pieces if one.kind is BlockKind.HEADING)
    title = page.title if page.title and page.title.strip() != book.strip() else ""
    name = " ".join(without_broken(next(headings, title)).split())[:_LONGEST_NAME]
    place = Place(Unit.PART, number, number, name or None)
    for piece in page.pieces:
        flow.add(piece.kind, piece.text, piece.level, place)


def _package_path(archive: Archive) -> str:
    container = _Container()
    feed(io.BytesIO(archive.read(_CONTAINER)), container)
    if not container.path:
        raise Unreadable(UnreadableReason.CORRUPT, "The part that lists its parts is missing.")
    return container.path


def _refuse_protected(archive: Archive) -> None:
    """Raises `Unreadable` where more than fonts are encrypted."""
    if _ENCRYPTION not in archive:
        return
    methods = _Methods()
    feed(io.BytesIO(archive.read(_ENCRYPTION)), methods)
    if any(not method.startswith(_FONTS_ONLY) for method in methods.found):
        raise Unreadable(UnreadableReason.ENCRYPTED, "It is protected against being read.")


class _Container:
    def __init__(self) -> None:
        self.path = ""

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "rootfile" and not self.path:
            self.path = attributes.get("full-path", "")

    def end(self, name: str) -> None:
        pass

    def text(self, data: str) -> None:
        pass


class _Methods:
    def __init__(self) -> None:
        self.found: list[str] = []

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "EncryptionMethod":
            self.found.append(attributes.get("Algorithm", ""))

    def end(self, name: str) -> None:
        pass

    def text(self, data: str) -> None:
        pass


class _Package:
    """Which files the parts are, in their order, and the title."""

    def __init__(self) -> None:
        self.title: list[str] = []
        self._files: dict[str, str] = {}
        self._order: list[str] = []
        self._is_title = False

    @property
    def spine(self) -> list[str]:
        return [self._files[one] for one in self._order if one in self._files]

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        self._is_title = name == "dc:title" and not self.title
        if name == "item" and attributes.get("media-type", "") in _PAGES:
            self._files[attributes.get("id", "")] = attributes.get("href", "")
        elif name == "itemref":
            self._order.append(attributes.get("idref", ""))

    def end(self, _name: str) -> None:
        self._is_title = False

    def text(self, data: str) -> None:
        if self._is_title:
            self.title.append(data)
