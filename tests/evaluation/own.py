"""`make eval-own`: a golden set out of a namespace of a running stack, and its measures.

Questions are taken from records: their titles, the headings that lead to them, or a sentence of
theirs; the right answer is the record that a question comes from. The set is made once, and kept in
a folder; later runs ask the same questions and fail where nDCG@10 has fallen by more than `LOSS`
since the set was made. `PALIMPSEST_URL` and `PALIMPSEST_KEY` name the stack.
"""

import argparse
import json
import os
import random
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from evaluation.run import ask, report
from evaluation.sets import Question

LOSS = 0.01
TIMED = ("expires_at", "valid_from", "valid_to")
FEWEST_WORDS, MOST_WORDS = 4, 25
_SENTENCE = re.compile(r"[^.!?。！？\n]+")
_UNSPACED = re.compile("[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff]")

Json = dict[str, Any]


def records(client: httpx.Client, namespace: str) -> Iterator[Json]:
    """Every active record of a namespace that is found at any time."""
    cursor: dict[str, str] = {}
    while True:
        page = client.get(f"namespaces/{namespace}/records", params={"limit": 100, **cursor})
        told = page.raise_for_status().json()
        yield from (one for one in told["records"] if not any(one.get(name) for name in TIMED))
        if told["next_cursor"] is None:
            return
        cursor = {"cursor": told["next_cursor"]}


def question_of(record: Json, chance: random.Random) -> str | None:
    """A question that this record answers: its title, its last heading or one of its sentences."""
    document = record.get("document") or {}
    headings = document.get("heading_path") or []
    named = [one for one in (record.get("title"), *headings[-1:]) if one]
    sentences = [s.strip() for s in _SENTENCE.findall(record["text"]) if _is_question(s)]
    choices = named + ([chance.choice(sentences)] if sentences else [])
    return chance.choice(choices)[:1000] if choices else None


def _is_question(sentence: str) -> bool:
    words = len(sentence.split())
    if _UNSPACED.search(sentence):
        words = len(sentence.strip()) // 2
    return FEWEST_WORDS <= words <= MOST_WORDS


def make(client: httpx.Client, namespace: str, *, count: int, seed: int) -> list[Question]:
    """At most `count` questions, each of another record; what two records give is none."""
    chance = random.Random(seed)  # a sample, no secret
    every = list(records(client, namespace))
    chance.shuffle(every)
    found: dict[str, list[str]] = {}
    for record in every:
        said = question_of(record, chance)
        if said is not None:
            found.setdefault(said, []).append(record["id"])
    single = [(said, ids[0]) for said, ids in found.items() if len(ids) == 1]
    return [
        Question(f"q{number}", said, frozenset([record_id]), None)
        for number, (said, record_id) in enumerate(single[:count], 1)
    ]


def save(folder: Path, questions: list[Question]) -> None:
    """The set as its files."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = [json.dumps({"_id": q.id, "text": q.text}, ensure_ascii=False) for q in questions]
    (folder / "queries.jsonl").write_text("\n".join(rows) + "\n", encoding="utf-8")
    judged = [f"{q.id}\t{record_id}\t1" for q in questions for record_id in q.relevant]
    (folder / "qrels.tsv").write_text("\n".join(judged) + "\n", encoding="utf-8")


def saved(folder: Path) -> list[Question]:
    """The questions of a set that was made before."""
    right = dict(line.split("\t")[:2] for line in (folder / "qrels.tsv").read_text().splitlines())
    rows = (folder / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    told = [json.loads(row) for row in rows]
    return [Question(q["_id"], q["text"], frozenset([right[q["_id"]]]), None) for q in told]


def main() -> int:
    """Make the set if it is not there, ask it, compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("namespace")
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--options", type=json.loads, default={})
    asked = parser.parse_args()
    url, key = os.environ["PALIMPSEST_URL"].rstrip("/") + "/", os.environ["PALIMPSEST_KEY"]
    headers = {"Authorization": f"Bearer {key}"}
    figures = asked.folder / "figures.json"
    with httpx.Client(base_url=url, headers=headers, timeout=60) as client:
        if not (asked.folder / "qrels.tsv").exists():
            save(asked.folder, make(client, asked.namespace, count=asked.count, seed=1))
        questions = saved(asked.folder)
        if not questions:
            sys.stderr.write("error: no record of this namespace gives a question\n")
            return 2
        told = report([ask(client, q, asked.namespace, asked.options) for q in questions])
    sys.stdout.write(json.dumps(told, indent=1) + "\n")
    if not figures.exists():
        figures.write_text(json.dumps({"ndcg@10": told["ndcg@10"]}) + "\n")
    known = json.loads(figures.read_text())["ndcg@10"]
    if told["ndcg@10"] < known - LOSS:
        sys.stderr.write(f"nDCG@10 was {known:.4f} when this set was made\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
