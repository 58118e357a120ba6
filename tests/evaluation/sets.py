"""Evaluation sets: a folder with `corpus.jsonl`, `queries.jsonl` and `qrels.tsv`, read as records
and questions.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MAX_TEXT_BYTES = 100_000
SAMPLE = Path(__file__).resolve().parents[2] / "infra/sample/corpus.jsonl"


@dataclass(frozen=True, slots=True)
class Question:
    """One question and the ids that answer it. `tier` groups questions where the set has groups."""

    id: str
    text: str
    relevant: frozenset[str]
    tier: str | None


@dataclass(frozen=True, slots=True)
class EvaluationSet:
    """Records to put, those that supersede others last, and the questions that have judgements."""

    name: str
    records: list[tuple[str, dict[str, Any]]]
    questions: list[Question]


def read(folder: Path) -> EvaluationSet:
    """The set in `folder`; without a corpus of its own its questions are about the sample corpus.
    Rows without text are left out, since a record needs one.
    """
    own = folder / "corpus.jsonl"
    rows = list(_rows(own)) if own.exists() else _sample()
    records = [record for row in rows if (record := _record(row)) is not None]
    judged = _judgements(folder / "qrels.tsv")
    questions = [
        Question(_id(row), row["text"], judged[_id(row)], row.get("tier"))
        for row in _rows(folder / "queries.jsonl")
        if _id(row) in judged
    ]
    return EvaluationSet("-".join(folder.resolve().parts[-2:]), records, questions)


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.strip():
            yield json.loads(line)


def _sample() -> list[dict[str, Any]]:
    """What stands in the sample corpus in the end, whatever the time is."""
    rows = list(_rows(SAMPLE))
    gone = {old for row in rows for old in row["record"].get("supersedes", ())}
    timed = {"expires_at", "valid_from", "valid_to"}
    return [
        {"id": row["id"], "fields": {k: v for k, v in row["record"].items() if k != "supersedes"}}
        for row in rows
        if row.get("record") and row["id"] not in gone and not timed & row["record"].keys()
    ]


def _id(row: dict[str, Any]) -> str:
    return str(row.get("_id", row.get("id")))


def _record(row: dict[str, Any]) -> tuple[str, dict[str, Any]] | None:
    if "fields" in row:
        return row["id"], row["fields"]
    if "statement" in row:
        return _fact(row)
    text = row["text"].encode()[:MAX_TEXT_BYTES].decode(errors="ignore")
    if not text.strip():
        return None
    return _id(row), {"text": text, **({"title": row["title"]} if row.get("title") else {})}


def _fact(row: dict[str, Any]) -> tuple[str, dict[str, Any]] | None:
    """A row of the paraphrase set; a superseded one is put too, and superseded below."""
    fields = {
        "text": row["statement"],
        "aliases": [*row.get("subject_aliases", []), *row.get("aliases", [])],
        **{k: row.get(k) for k in ("kind", "subject", "predicate", "location", "entities", "tags")},
    }
    given = {key: value for key, value in fields.items() if value not in (None, [], "")}
    return _id(row), given


def superseded(folder: Path) -> list[tuple[str, str]]:
    """(old id, new id) of rows that another row supersedes."""
    if not (folder / "corpus.jsonl").exists():
        return []
    return [
        (_id(row), row["superseded_by"])
        for row in _rows(folder / "corpus.jsonl")
        if row.get("status") == "superseded"
    ]


def _judgements(path: Path) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        fields = line.split("\t")
        if len(fields) < 3 or fields[0] == "query-id" or fields[2] == "0":
            continue
        found.setdefault(fields[0], set()).add(fields[1])
    return {query: frozenset(ids) for query, ids in found.items()}
