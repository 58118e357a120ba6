"""XML as events, without what makes it dangerous: no entity is declared, nothing outside is read,
and nesting has an end.
"""

from collections.abc import Mapping
from typing import IO, Final, Protocol
from xml.parsers import expat

from palimpsest.domain.extraction import Unreadable, UnreadableReason

_PIECE: Final = 256 * 1024
_DEEPEST: Final = 500

_NAMESPACES: Final = {
    "http://schemas.openxmlformats.org/wordprocessingml/2006/main": "w",
    "http://purl.oclc.org/ooxml/wordprocessingml/main": "w",
    "http://schemas.openxmlformats.org/drawingml/2006/main": "a",
    "http://purl.oclc.org/ooxml/drawingml/main": "a",
    "http://schemas.openxmlformats.org/presentationml/2006/main": "p",
    "http://purl.oclc.org/ooxml/presentationml/main": "p",
    "http://schemas.openxmlformats.org/spreadsheetml/2006/main": "s",
    "http://purl.oclc.org/ooxml/spreadsheetml/main": "s",
    "http://schemas.openxmlformats.org/officeDocument/2006/math": "m",
    "http://purl.oclc.org/ooxml/officeDocument/math": "m",
    "http://schemas.openxmlformats.org/officeDocument/2006/relationships": "r",
    "http://purl.oclc.org/ooxml/officeDocument/relationships": "r",
    "http://schemas.openxmlformats.org/markup-compatibility/2006": "mc",
    "http://purl.org/dc/elements/1.1/": "dc",
}
"""The namespaces whose names bear a prefix here; of all others only the name itself is told."""


class Events(Protocol):
    """Who takes the events. Names are as `w:p`, those of attributes too."""

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        """An element begins."""
        ...

    def end(self, name: str) -> None:
        """An element ends."""
        ...

    def text(self, data: str) -> None:
        """Characters between; those of one element may come in pieces."""
        ...


def feed(file: IO[bytes], events: Events) -> None:
    """Hand the events of a file over, piece by piece. Raises `Unreadable` for what no document has
    to hold, and `expat.ExpatError` where it is not well-formed.
    """
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.buffer_size = _PIECE
    names: dict[str, str] = {}
    depth = 0

    def named(qualified: str) -> str:
        if qualified not in names:
            namespace, _space, name = qualified.rpartition(" ")
            prefix = _NAMESPACES.get(namespace)
            names[qualified] = f"{prefix}:{name}" if prefix else name
        return names[qualified]

    def start(qualified: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > _DEEPEST:
            raise Unreadable(UnreadableReason.CORRUPT, "It is nested too deeply.")
        events.start(named(qualified), {named(key): value for key, value in attributes.items()})

    def end(qualified: str) -> None:
        nonlocal depth
        depth -= 1
        events.end(named(qualified))

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = events.text
    parser.EntityDeclHandler = _refuse_entity
    while piece := file.read(_PIECE):
        parser.Parse(piece, False)
    parser.Parse(b"", True)


def _refuse_entity(*_: object) -> None:
    raise Unreadable(UnreadableReason.CORRUPT, "It declares entities, which no document needs.")
