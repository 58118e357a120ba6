"""What an embedder hands back, and how texts are prepared for one."""

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from palimpsest.domain.vectors import Vector

Numbered = tuple[int, str]
T = TypeVar("T")

STAGE = "embed"
"""What errors of an embedder call themselves (`ProviderError.stage`, `Unavailable.stage`)."""

NEAR = 0.8  # a boundary is looked for in the last fifth of what fits


@dataclass(frozen=True, slots=True)
class Embedded:
    """A unit vector, and whether the model saw only the beginning of the text."""

    vector: Vector
    truncated: bool = False


def is_blank(text: str) -> bool:
    """Whether a text holds nothing that could be embedded: no character beyond space and control."""
    return all(char.isspace() or unicodedata.category(char) in ("Cc", "Cf") for char in text)


def cut(text: str, characters: int) -> str:
    """The beginning of `text`, at most that many characters, ended at whitespace if there is any in
    its last fifth, and never between a character and the marks that combine with it."""
    if len(text) <= characters:
        return text
    for end in range(characters, int(characters * NEAR), -1):
        if text[end].isspace():
            return text[:end]
    end = characters
    while end > 1 and (unicodedata.combining(text[end]) or "\u200d" in text[end - 1 : end + 1]):
        end -= 1
    return text[:end]


def batches(texts: Iterable[Numbered], *, count: int, size: int) -> Iterator[list[Numbered]]:
    """Texts in order, in groups of at most `count` texts and `size` UTF-8 bytes; a text that alone is
    larger makes a group of its own."""
    group: list[Numbered] = []
    held = 0
    for number, text in texts:
        weight = len(text.encode())
        if group and (len(group) == count or held + weight > size):
            yield group
            group, held = [], 0
        group.append((number, text))
        held += weight
    if group:
        yield group
