"""Long documents made out of evaluation sets of short texts, so that it is known which stretch of
which document answers a question.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TypeVar

from evaluation.sets import Question, read
from palimpsest.domain.extraction import Block, BlockKind

T = TypeVar("T")

ARTICLE = 5
"""XQuAD's paragraphs of one article stand together, so many of each."""
VOLUME = 20
"""Abstracts in one document."""
ABSTRACTS, ASKED = 400, 90
"""Abstracts of Cranfield that are taken, and questions that are asked."""
TITLE_WORDS = 3


class Stretch(NamedTuple):
    """A judged text: which document, and from where to before where (code points)."""

    document: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class JudgedDocuments:
    """Documents as blocks, where each judged text is in them, and the questions about these."""

    name: str
    documents: Sequence[Sequence[Block]]
    stretches: dict[str, Stretch]
    questions: Sequence[Question]


def articles(folder: Path, *, titled: bool) -> JudgedDocuments:
    """XQuAD's articles again; `titled`: each below a heading of the words that tell it from the
    others, since the set has lost the true ones.
    """
    found = read(folder)
    rows = [(name, str(fields["text"])) for name, fields in found.records]
    groups = [list(group) for group in _batched(rows, ARTICLE)]
    titles = _titles(["\n".join(text for _, text in group) for group in groups])
    pages = [
        [("", _heading(title, 1)), *((name, _paragraph(text)) for name, text in group)]
        if titled
        else [(name, _paragraph(text)) for name, text in group]
        for title, group in zip(titles, groups, strict=True)
    ]
    return _placed(found.name, pages, found.questions)


def volumes(folder: Path) -> JudgedDocuments:
    """Abstracts of Cranfield, each below its own title, many in a document."""
    found = read(folder)
    questions = found.questions[:ASKED]
    judged = {name for question in questions for name in question.relevant}
    rest = [name for name, _ in found.records if name not in judged]
    taken = judged | set(rest[: max(0, ABSTRACTS - len(judged))])
    rows = [(name, fields) for name, fields in found.records if name in taken]
    pages = []
    for number, group in enumerate(_batched(rows, VOLUME), 1):
        page = [("", _heading(f"Aerodynamics, part {number}", 1))]
        for name, fields in group:
            title = str(fields.get("title", ""))
            page += [
                (name, _heading(title, 2)),
                (name, _paragraph(_without(title, fields["text"]))),
            ]
        pages.append(page)
    return _placed(found.name, pages, questions)


def _batched(rows: Sequence[T], count: int) -> Iterator[Sequence[T]]:
    for start in range(0, len(rows), count):
        yield rows[start : start + count]


def _heading(text: str, level: int) -> Block:
    return Block(BlockKind.HEADING, f"{text}\n\n", level=level)


def _paragraph(text: str) -> Block:
    return Block(BlockKind.PARAGRAPH, f"{text}\n\n")


def _without(title: str, text: str) -> str:
    """An abstract without its title, with which it begins."""
    return text[len(title) :].lstrip(" .") if title and text.startswith(title) else text


def _titles(texts: Sequence[str]) -> list[str]:
    """By text, the names that stand in it often and in few of the others."""
    names = [Counter(re.findall(r"\b[A-Z]\w{3,}", text)) for text in texts]
    holding = Counter(name for counts in names for name in counts)
    return [
        " ".join(sorted(counts, key=lambda n: (-counts[n] / holding[n], n))[:TITLE_WORDS])
        for counts in names
    ]


def _placed(
    name: str, pages: Sequence[Sequence[tuple[str, Block]]], questions: Sequence[Question]
) -> JudgedDocuments:
    stretches: dict[str, Stretch] = {}
    for number, page in enumerate(pages):
        offset = 0
        for judged, block in page:
            end = offset + len(block.text)
            begin = stretches[judged].start if judged in stretches else offset
            if judged:
                stretches[judged] = Stretch(number, begin, end)
            offset = end
    return JudgedDocuments(
        name, [[block for _, block in page] for page in pages], stretches, questions
    )
