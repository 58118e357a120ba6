"""What the three formats of Office have in common: parts, and relationships between them."""

import io
from collections.abc import Mapping
from typing import Final, NamedTuple

from palimpsest.adapters.parsers.xml_events import feed
from palimpsest.adapters.parsers.zip_archive import Archive, member_beside
from palimpsest.domain.extraction import Unreadable, UnreadableReason

_CORE: Final = "docProps/core.xml"


class Relationship(NamedTuple):
    """What a part refers to: `kind` is the last word of its type, `target` the name of a part."""

    kind: str
    target: str


def relationships(archive: Archive, part: str) -> dict[str, Relationship]:
    """Those of a part (of the whole document for an empty name), by their ids; addresses outside
    of the archive are left out.
    """
    folder, _slash, name = part.rpartition("/")
    path = f"{folder}/_rels/{name}.rels" if folder else f"_rels/{name}.rels"
    if path not in archive:
        return {}
    found = _Relationships(part)
    with archive.open(path) as file:
        feed(file, found)
    return found.by_id


def main_part(archive: Archive, usual: str) -> str:
    """The name of the part that is the document itself. Raises `Unreadable`."""
    for one in relationships(archive, "").values():
        if one.kind == "officeDocument" and one.target in archive:
            return one.target
    if usual in archive:
        return usual
    raise Unreadable(UnreadableReason.CORRUPT, "The part that holds its text is missing.")


def title_of(archive: Archive) -> str | None:
    """The title that the document's properties have."""
    if _CORE not in archive:
        return None
    found = _Title()
    feed(io.BytesIO(archive.read(_CORE)), found)
    return "".join(found.parts).strip() or None


class _Relationships:
    def __init__(self, part: str) -> None:
        self._part = part
        self.by_id: dict[str, Relationship] = {}

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if name == "Relationship" and attributes.get("TargetMode") != "External":
            kind = attributes.get("Type", "").rpartition("/")[2]
            target = member_beside(self._part, attributes.get("Target", ""))
            self.by_id[attributes.get("Id", "")] = Relationship(kind, target)

    def end(self, name: str) -> None:
        pass

    def text(self, data: str) -> None:
        pass


class _Title:
    def __init__(self) -> None:
        self.parts: list[str] = []
        self._inside = False

    def start(self, name: str, _attributes: Mapping[str, str]) -> None:
        self._inside = name == "dc:title"

    def end(self, _name: str) -> None:
        self._inside = False

    def text(self, data: str) -> None:
        if self._inside:
            self.parts.append(data)
