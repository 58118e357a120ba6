"""Broken characters: NULs and lone surrogates, which no store or model takes."""

import re

_BROKEN = re.compile("[\0\ud800-\udfff]")


def is_broken(text: str) -> bool:
    """Whether the text holds a NUL or half of a surrogate pair."""
    return _BROKEN.search(text) is not None


def without_broken(text: str) -> str:
    """The text without them."""
    return _BROKEN.sub("", text)
