"""What stands on a web page and is not of it: menus, footers, advertisements, what scripts use."""

import re
from typing import Final

from selectolax.lexbor import LexborNode

_NEVER_TEXT_LISTED: Final = """
head script style noscript template iframe object embed canvas audio video svg select datalist
button annotation annotation-xml
"""
NEVER_TEXT: Final = frozenset(_NEVER_TEXT_LISTED.split())
"""Elements that hold no text for a reader."""

_FRAMES: Final = frozenset(
    {"nav", "footer", "header", "aside", "div", "section", "ul", "form", "p"}
)
_ALWAYS: Final = frozenset({"nav", "menu"})
_OF_THE_PAGE: Final = frozenset({"footer", "header", "aside"})
"""Furniture where they are of the page; in an article they are of its text."""

_ROLES: Final = frozenset(
    {"navigation", "banner", "contentinfo", "search", "complementary", "menu", "menubar", "toolbar"}
)
_NAMES: Final = re.compile(
    r"(?:site|page|main|global|top|bottom|left|right)?[-_]?"
    r"(?:nav|navbar|navigation|footer|sidebar|breadcrumbs?|skip-?links?|pagination|masthead)"
    r"(?:[-_](?:menu|links|list|inner|wrapper|container))?"
    r"|(?:cookie|consent|gdpr)(?:[-_]?(?:banner|bar|notice|popup|message|consent|law|info))*"
    r"|advert(?:s|isements?|ising)?(?:[-_][a-z0-9]+)*|ads?(?:[-_](?:banner|box|container|slot|unit|wrapper))?"
    r"|(?:banner|google|sidebar)[-_]?ads?|sponsored(?:[-_][a-z0-9]+)*"
    r"|(?:social|share|sharing)(?:[-_](?:buttons?|links|bar|icons|media|tools))?"
    r"|newsletter(?:[-_](?:signup|form|box|popup))?|popup|related[-_](?:posts|articles|links)"
)
_HIDDEN: Final = re.compile(r"display\s*:\s*none", re.IGNORECASE)
_TEXT: Final = "main, article, h1"


def is_furniture(node: LexborNode, tag: str, *, inside_text: bool) -> bool:
    """Whether an element is left out. `inside_text`: it stands in an article or the main part."""
    attributes = node.attributes
    if not attributes and tag not in _ALWAYS and tag not in _OF_THE_PAGE:
        return False
    if "hidden" in attributes or _HIDDEN.search(attributes.get("style") or ""):
        return True
    if tag not in _FRAMES and tag not in _ALWAYS:
        return False
    if tag in _ALWAYS or (tag in _OF_THE_PAGE and not inside_text):
        return node.css_first(_TEXT) is None
    if attributes.get("role") in _ROLES or _is_named(attributes):
        return node.css_first(_TEXT) is None
    return False


def _is_named(attributes: dict[str, str | None]) -> bool:
    names = f"{attributes.get('class') or ''} {attributes.get('id') or ''}"
    return any(_NAMES.fullmatch(name) for name in names.casefold().split())
