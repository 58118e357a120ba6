"""Elements nested deeper than anybody writes: each further one costs the parser a walk through all
that are open, so such a page is taken without its structure.
"""

import re
from html import unescape
from typing import Final

_DEEPEST: Final = 1000
_TAG_NAME: Final = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)")
_TAG: Final = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*+)[^<>]*+>|<![^<>]*+>")
_END_THEMSELVES_LISTED: Final = """
area base basefont bgsound br col colgroup dd dt embed hr img input li link meta optgroup option
p param rp rt source tbody td tfoot th thead tr track wbr
"""
_END_THEMSELVES: Final = frozenset(_END_THEMSELVES_LISTED.split())
_SKIPPED: Final = frozenset({"script", "style"})


def is_too_deep(page: str) -> bool:
    """Whether more elements are open at once somewhere than a page has."""
    depth = 0
    for tag in _TAG_NAME.finditer(page):
        if tag[2].lower() not in _END_THEMSELVES:
            depth = max(0, depth - 1) if tag[1] else depth + 1
            if depth > _DEEPEST:
                return True
    return False


def text_without_tags(page: str) -> list[str]:
    """What stands between the tags, but for scripts and styles."""
    texts, start, skipped = [], 0, ""
    for tag in _TAG.finditer(page):
        if not skipped:
            texts.append(page[start : tag.start()])
        start = tag.end()
        name = (tag[2] or "").lower()
        if skipped:
            skipped = "" if tag[1] and name == skipped else skipped
        elif name in _SKIPPED and not tag[1]:
            skipped = name
    if not skipped:
        texts.append(page[start:])
    return [text for text in map(unescape, texts) if not text.isspace()]
