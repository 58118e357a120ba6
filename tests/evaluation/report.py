"""The figures of an evaluation as a table and a picture, in `docs/`."""

import platform
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from evaluation.picture import drawn

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE, PICTURE = DOCS / "evaluation.md", DOCS / "evaluation.svg"
BEGIN, END = "<!-- figures: written by `make eval WRITE=yes` -->", "<!-- end of the figures -->"
METHODS = ("lexical", "semantic", "weighted", "rrf", "blend")
DEEP = tuple(f"deep {method}" for method in METHODS)


def write(figures: Mapping[str, Any], *, model: str) -> None:
    """Put them between the marks of the page, and draw the picture anew."""
    page = PAGE.read_text(encoding="utf-8")
    before, rest = page.split(BEGIN)
    _, after = rest.split(END)
    told = "\n".join(_page(figures, model))
    PAGE.write_text(f"{before}{BEGIN}\n{told}\n{END}{after}", encoding="utf-8")
    PICTURE.write_text(drawn(figures), encoding="utf-8")


def _page(figures: Mapping[str, Any], model: str) -> Iterator[str]:
    day = datetime.now(UTC).strftime("%d %B %Y").lstrip("0")
    yield f"{day}, {platform.machine()}, {model}."
    yield "nDCG@10, 100 candidates a leg; milliseconds in process, p50.\n"
    yield f"| set | questions | engine | {' | '.join(METHODS)} | legs and fusion |"
    yield "|---" * (len(METHODS) + 4) + "|"
    for name, engines in figures.items():
        for engine, found in engines.items():
            scores = " | ".join(_score(found["methods"], method) for method in METHODS)
            ms = found["ms"]["weighted"]
            yield f"| {name} | {found['questions']} | {engine} | {scores} | {ms:.1f} ms |"
    yield "\nFirst / among the first five / MRR@20 of the default and of its legs:\n"
    yield "| set | engine | lexical | semantic | weighted |"
    yield "|---|---|---|---|---|"
    for name, engines in figures.items():
        for engine, found in engines.items():
            cells = " | ".join(_counts(found["methods"][m]) for m in METHODS[:3])
            yield f"| {name} | {engine} | {cells} |"
    yield from _deep(figures)


def _deep(figures: Mapping[str, Any]) -> Iterator[str]:
    rows = [
        (name, engine, found["methods"])
        for name, engines in figures.items()
        for engine, found in engines.items()
        if DEEP[0] in found["methods"]
    ]
    if not rows:
        return
    yield "\nAsked in three ways (fixed variations in place of a language model's), nDCG@10 · first"
    yield "/ among the first five / MRR@20:\n"
    yield f"| set | engine | {' | '.join(DEEP)} |"
    yield "|---" * (len(DEEP) + 2) + "|"
    for name, engine, methods in rows:
        cells = " | ".join(f"{_score(methods, m)} · {_counts(methods[m])}" for m in DEEP)
        yield f"| {name} | {engine} | {cells} |"


def _score(methods: Mapping[str, Mapping[str, float]], method: str) -> str:
    return f"{methods[method]['ndcg@10']:.3f}".removeprefix("0")


def _counts(told: Mapping[str, float]) -> str:
    mrr = f"{told['mrr@20']:.3f}".removeprefix("0")
    return f"{told['top1']:.0f} / {told['top5']:.0f} / {mrr}"
