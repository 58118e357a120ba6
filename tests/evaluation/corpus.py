"""A set ready to be asked: its records as index entries with vectors, its questions in all ways."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.engine_quality import EMBEDDING_SECONDS, kept
from evaluation.ranking import NOW, PARTITION, Ways
from evaluation.sets import read, superseded
from palimpsest.domain.embedding import Embedded
from palimpsest.domain.entries import Entry
from palimpsest.domain.records import Content
from palimpsest.ports import Embedder

EXPANSIONS = Path(__file__).with_name("expansions")


@dataclass(frozen=True, slots=True)
class Loaded:
    """A set, loaded."""

    name: str
    entries: Sequence[Entry]
    questions: Sequence[Ways]


def load(folder: Path, embedder: Embedder) -> Loaded:
    """The set in `folder`. Vectors are made once and kept in `build/vectors`. Where there is a file
    of variations in `expansions/` under the folder's name, questions have these ways too.
    """
    found = read(folder)
    gone = {old for old, _ in superseded(folder)}
    contents = {name: content_of(fields) for name, fields in found.records if name not in gone}

    def passages(texts: Sequence[str]) -> Iterable[Sequence[float]]:
        made = embedder.embed_passages(texts, timeout=EMBEDDING_SECONDS)
        return [one.vector for one in made if isinstance(one, Embedded)]

    def queries(texts: Sequence[str]) -> Iterable[Sequence[float]]:
        return [embedder.embed_query(text, timeout=EMBEDDING_SECONDS) for text in texts]

    texts = [content.embedded_text for content in contents.values()]
    vectors = kept(passages, texts, embedder.fingerprint).tolist()
    entries = [
        Entry(partition=PARTITION, id=record_id, revision=1, version=3, content=content,
              created_at=NOW, updated_at=NOW, vector=tuple(vector))
        for (record_id, content), vector in zip(contents.items(), vectors, strict=True)
    ]  # fmt: skip
    others = expansions(folder.resolve().name)
    ways = [[one.text, *others.get(one.id, ())] for one in found.questions]
    asked = iter(kept(queries, [t for several in ways for t in several], embedder.fingerprint))
    questions = [
        Ways(question, several, [next(asked).tolist() for _ in several])
        for question, several in zip(found.questions, ways, strict=True)
    ]
    return Loaded(found.name, entries, questions)


def content_of(fields: Mapping[str, Any]) -> Content:
    """A record's fields as its content."""
    return Content.from_json(fields)


def expansions(name: str) -> dict[str, list[str]]:
    """By question, the variations that a language model might have written: two each."""
    path = EXPANSIONS / f"{name}.tsv"
    if not path.exists():
        return {}
    rows = (line.split("\t") for line in path.read_text(encoding="utf-8").splitlines())
    return {question: several for question, *several in rows}
