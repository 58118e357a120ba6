"""What an embedder hands back, and how a text is prepared for one."""

import unicodedata
from dataclasses import dataclass

from palimpsest.domain.errors import ProviderError
from palimpsest.domain.vectors import Vector
from palimpsest.domain.whole_characters import whole_end

STAGE = "embed"
"""What errors of an embedder call themselves (`ProviderError.stage`, `Unavailable.stage`)."""

NEAR = 0.8  # a boundary is looked for in the last fifth of what fits
UNSEEN = ("Cc", "Cf", "Cs")

LAST_OF_TWO_BYTES = "\u07ff"
LAST_OF_THREE_BYTES = "\uffff"


@dataclass(frozen=True, slots=True)
class Embedded:
    """A unit vector, and whether the model saw only the beginning of the text."""

    vector: Vector
    truncated: bool = False


class TextRefused(ProviderError):  # named like its siblings in errors.py
    """The provider will not embed what it was sent, for what the texts are."""


def is_blank(text: str) -> bool:
    """Whether a text holds nothing to embed: only whitespace, control and format
    characters and halves of surrogate pairs.
    """
    return all(char.isspace() or unicodedata.category(char) in UNSEEN for char in text)


def cut(text: str, characters: int) -> str:
    """The beginning of `text`, at most that many characters: to the last whitespace, if there is
    any in the last fifth, and never within what a reader sees as one character.
    """
    if len(text) <= characters:
        return text
    for end in range(characters, int(characters * NEAR), -1):
        if text[end].isspace():
            return text[:end]
    return text[: whole_end(text, characters)]


def cut_to_tokens(text: str, tokens: int) -> str:
    """The beginning of `text` that surely fits into that many tokens, cut as `cut` does.

    Nothing is known of the tokenizer but that it joins bytes, as OpenAI's, Amazon's and Cohere's
    do: no text has more tokens than UTF-8 bytes. Beyond that a character is counted with more than
    it takes on average in cl100k_base: half a token in words of lower case letters (prose has a
    quarter, random letters .5), one in other ASCII (base64 .75) and two-byte scripts (.5), two in
    three-byte scripts (Chinese 1.2), four above.
    """
    if len(text.encode()) <= tokens:
        return text
    halves = 0
    for place, char in enumerate(text):
        halves += _half_tokens(char)
        if halves > 2 * tokens:
            return cut(text, place)
    return text


def _half_tokens(char: str) -> int:
    if "a" <= char <= "z" or char == " ":
        return 1
    if char <= LAST_OF_TWO_BYTES:
        return 2
    return 4 if char <= LAST_OF_THREE_BYTES else 8
