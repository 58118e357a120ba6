"""The styles of a docx document: which are headings, which are lists, which only repeat others."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from palimpsest.adapters.parsers.xml_events import feed
from palimpsest.adapters.parsers.zip_archive import Archive

_HEADING: Final = re.compile(r"heading (\d)$")
_LIST: Final = re.compile(r"list (?:bullet|number|continue)? ?(\d)?|list paragraph$")
_CONTENTS: Final = re.compile(r"toc \d$|table of figures$|index \d$")
_TITLES: Final = {"title": 1, "subtitle": 2}
_LONGEST_CHAIN: Final = 20
_BODY_LEVEL: Final = 9


@dataclass(slots=True)
class _Style:
    name: str = ""
    based_on: str | None = None
    outline: int | None = None
    numbered: int | None = None


class Styles:
    """By the ids that paragraphs name them with."""

    def __init__(self, archive: Archive, part: str | None) -> None:
        self._styles: dict[str, _Style] = {}
        if part is not None and part in archive:
            events = _StyleEvents()
            with archive.open(part) as file:
                feed(file, events)
            self._styles = events.styles

    def heading_level(self, style: str | None) -> int:
        """The level of a heading in that style; 0 where it is none."""
        for one in self._chain(style):
            if found := _HEADING.match(one.name):
                return int(found[1])
            if one.name in _TITLES:
                return _TITLES[one.name]
            if one.outline is not None:
                return one.outline + 1 if one.outline < _BODY_LEVEL else 0
        return 0

    def list_level(self, style: str | None) -> int | None:
        """The depth of a list item in that style; None where it is none."""
        for one in self._chain(style):
            found = None if one.name == "list paragraph" else _LIST.match(one.name)
            if one.numbered is not None or found:
                return max(one.numbered or 0, int(found[1] or 1) - 1 if found else 0)
        return None

    def is_contents(self, style: str | None) -> bool:
        """Whether it is of a table of contents, which says again what stands elsewhere."""
        return any(_CONTENTS.match(one.name) for one in self._chain(style))

    def _chain(self, style: str | None) -> list[_Style]:
        """The style and those that it is based on."""
        chain: list[_Style] = []
        while style is not None and style in self._styles and len(chain) < _LONGEST_CHAIN:
            chain.append(self._styles[style])
            style = chain[-1].based_on
        return chain


class _StyleEvents:
    def __init__(self) -> None:
        self.styles: dict[str, _Style] = {}
        self._now = _Style()

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        value = attributes.get("w:val", "")
        if name == "w:style":
            self._now = _Style()
            if attributes.get("w:type", "paragraph") == "paragraph":
                self.styles[attributes.get("w:styleId", "")] = self._now
        elif name == "w:name":
            self._now.name = value.casefold()
        elif name == "w:basedOn":
            self._now.based_on = value
        elif name == "w:outlineLvl" and value.isdigit():
            self._now.outline = int(value)
        elif name == "w:numPr":
            self._now.numbered = self._now.numbered or 0
        elif name == "w:ilvl" and value.isdigit():
            self._now.numbered = int(value)

    def end(self, name: str) -> None:
        pass

    def text(self, data: str) -> None:
        pass
