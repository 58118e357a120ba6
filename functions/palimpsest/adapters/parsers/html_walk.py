"""The text of a web page in pieces: a walk through its elements."""

from typing import Final

from selectolax.lexbor import LexborNode

from palimpsest.adapters.parsers.cells import Cells, Piece
from palimpsest.adapters.parsers.html_furniture import NEVER_TEXT, is_furniture
from palimpsest.domain.extraction import BlockKind

_HEADINGS: Final = {f"h{level}": level for level in range(1, 7)}
_LISTS: Final = frozenset({"ul", "ol", "menu", "dir"})
_CODE: Final = frozenset({"pre", "listing", "xmp", "plaintext", "textarea"})
_TEXT: Final = frozenset({"main", "article"})
_BLOCKS_LISTED: Final = """
address article aside blockquote body caption center dd details dialog div dl dt fieldset
figcaption figure footer form header hgroup hr html legend li main nav p section summary table
tbody td tfoot th thead tr
"""
_BLOCKS: Final = frozenset(_BLOCKS_LISTED.split()) | {*_HEADINGS, *_LISTS, *_CODE}


class HtmlWalk:
    """Goes through the elements below a node, without recursion, and hands the pieces on.
    `everything`: also what looks like furniture.
    """

    def __init__(self, cells: Cells, *, everything: bool = False) -> None:
        self._cells = cells
        self._everything = everything
        self._parts: list[str] = []
        self._kinds: list[tuple[BlockKind, int]] = [(BlockKind.PARAGRAPH, 0)]
        self._lists = self._code = self._text = 0

    def go(self, root: LexborNode) -> None:
        """Go through all that is below the root."""
        opened: list[tuple[LexborNode, str]] = []
        node = root.first_child
        while node is not None:
            tag = self._enter(node)
            child = node.first_child if tag else None
            if tag and child is not None:
                opened.append((node, tag))
                node = child
                continue
            self._leave(tag)
            following = node.next
            while following is None and opened:
                node, tag = opened.pop()
                self._leave(tag)
                following = node.next
            node = following
        self._end_piece()
        self._cells.end()

    def _enter(self, node: LexborNode) -> str:
        """A node begins: its tag if what is in it is to be walked through, else nothing."""
        if node.is_text_node:
            self._parts.append(self._text_of(node))
            return ""
        tag = node.tag if node.is_element_node else None
        if tag is None or tag in NEVER_TEXT:
            return ""
        if tag == "br":
            self._parts.append("\n")
            return ""
        if tag in _BLOCKS:
            if not self._everything and is_furniture(node, tag, inside_text=self._text > 0):
                return ""
            self._begin(tag)
        return tag

    def _text_of(self, node: LexborNode) -> str:
        text = node.text_content or ""
        return text if self._code else text.replace("\n", " ")

    def _begin(self, tag: str) -> None:
        self._end_piece()
        if tag in _HEADINGS:
            self._kinds.append((BlockKind.HEADING, _HEADINGS[tag]))
        elif tag == "li":
            self._kinds.append((BlockKind.LIST_ITEM, max(0, self._lists - 1)))
        elif tag in _CODE:
            self._kinds.append((BlockKind.CODE, 0))
            self._code += 1
        elif tag == "tr":
            self._cells.begin_row()
        elif tag in {"td", "th"}:
            self._cells.begin_cell()
        self._lists += tag in _LISTS
        self._text += tag in _TEXT

    def _leave(self, tag: str) -> None:
        """An element ends that was walked through."""
        if tag not in _BLOCKS:
            return
        self._end_piece()
        if tag in _HEADINGS or tag == "li" or tag in _CODE:
            self._kinds.pop()
        self._code -= tag in _CODE
        self._lists -= tag in _LISTS
        self._text -= tag in _TEXT
        if tag == "tr":
            self._cells.end_row()

    def _end_piece(self) -> None:
        text = "".join(self._parts)
        self._parts = []
        kind, level = self._kinds[-1]
        if kind is not BlockKind.CODE:
            text = "\n".join(" ".join(line.split()) for line in text.split("\n"))
        self._cells.add(Piece(kind, text, level))
