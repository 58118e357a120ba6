"""What the ingestions of a format are made of, as data and as a table."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.document_samples import Sample
from benchmarks.document_watch import PARTS, Journal
from palimpsest.domain.documents import Document

REST = "rest"


@dataclass(frozen=True, slots=True)
class Ingested:
    """One ingestion of ours: `took` milliseconds."""

    sample: Sample
    document: Document
    journal: Journal
    took: float

    @property
    def spent(self) -> dict[str, float]:
        """Milliseconds by part; the rest is our own code in this process."""
        known = {part: self.journal.spent[part] for part in PARTS}
        return {**known, REST: self.took - sum(known.values())}


def chunks_of(document: Document) -> int:
    """How many chunks it has."""
    return document.current.chunks if document.current else 0


def told_of(rounds: Sequence[Ingested]) -> dict[str, Any]:
    """Rates and parts of these ingestions, by their medians; sizes of the newest."""
    sample, document = rounds[-1].sample, rounds[-1].document
    characters = document.current.characters if document.current else 0
    seconds = statistics.median(one.took for one in rounds) / 1000
    return {
        "units": f"{sample.count} {sample.unit}",
        "bytes": len(sample.data),
        "characters": characters,
        "chunks": chunks_of(document),
        "ms": round(1000 * seconds),
        "units_per_s": round(sample.count / seconds, 2),
        "file_mb_per_s": round(len(sample.data) / 1e6 / seconds, 4),
        "text_mb_per_s": round(characters / 1e6 / seconds, 4),
        "parts_ms": {
            part: round(statistics.median(one.spent[part] for one in rounds))
            for part in (*PARTS, REST)
        },
    }


def lines(told: Sequence[dict[str, Any]]) -> list[str]:
    """A table with a row for each format, with the model and without: rates, and the parts in
    percents of the whole.
    """
    if not told:
        return []
    parts = (*PARTS, REST)
    head = f"{'documents':21} {'of':>11} {'chunks':>6} {'ms':>6} {'of it/s':>7} {'text MB/s':>9}"
    return ["", head + "".join(f" {part:>5}" for part in parts) + "  %", *map(_line, told)]


def _line(one: dict[str, Any]) -> str:
    name = one["format"] if one["model"] else f"{one['format']}, no model"
    shares = [
        f"{100 * ms / one['ms']:{max(5, len(part))}.0f}" for part, ms in one["parts_ms"].items()
    ]
    return (
        f"{name:21} {one['units']:>11} {one['chunks']:6} {one['ms']:6} {one['units_per_s']:7.1f} "
        f"{one['text_mb_per_s']:9.4f} {' '.join(shares)}"
    )
