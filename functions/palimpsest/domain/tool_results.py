"""What a tool tells a language model: text, and the sources that its labels stand for."""

from collections.abc import Sequence
from dataclasses import dataclass

from palimpsest.domain.errors import PalimpsestError
from palimpsest.domain.records import Record, Source
from palimpsest.domain.tool_text import address, in_quotes, one_line

_SMALL = 0.1


class ToolRefused(PalimpsestError):
    """A call that a language model can mend: the message is a sentence for it."""


@dataclass(frozen=True, slots=True)
class ToolSource:
    """A record or a document that a tool has told of, as it was at a revision."""

    id: str
    namespace: str
    revision: int

    @classmethod
    def of(cls, record: Record) -> "ToolSource":
        """The record as it is shown."""
        return cls(record.id, record.namespace, record.read_as)


@dataclass(frozen=True, slots=True)
class ToolResult:
    """A tool's answer; the first of `sources` is labelled `S1` in its content, and so on."""

    content: str
    sources: Sequence[ToolSource] = ()
    is_error: bool = False


def label(number: int) -> str:
    """The label of the source of that number, from 1."""
    return f"S{number}"


def heading(number: int, record_id: str, source: Source | None, told: str) -> str:
    """The line above a source's text: its label, its id, where it comes from, and what is `told`
    of it.
    """
    return f"[{label(number)}] {record_id} {_place(source)} ({told})"


def _place(source: Source | None) -> str:
    """Address, title and place within, as far as they are known."""
    if source is None:
        return "-"
    spelt = [(source.uri, address), (source.title, in_quotes), (source.locator, in_quotes)]
    return " ".join(spell(text) for text, spell in spelt if text and one_line(text)) or "-"


def score_text(score: float) -> str:
    """A score with two decimals, a small one with four."""
    return f"{score:.2f}" if abs(score) >= _SMALL else f"{score:.4f}"
