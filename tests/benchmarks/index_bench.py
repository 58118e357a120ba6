"""How fast the embedded index answers: 10,000 records of Zipf-distributed words and 384 numbers.

Run: `python tests/benchmarks/index_bench.py [records]` with `functions` on the path. Times are in
milliseconds.
"""

import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import numpy.typing as npt

from palimpsest.adapters.sqlite import SqliteIndex
from palimpsest.domain.entries import Entry, Leg, LegQuery
from palimpsest.domain.filters import And, OneOf, TimeRange
from palimpsest.domain.records import Content

DIMENSION = 384
VOCABULARY = 20_000
NOW = datetime(2026, 7, 1, tzinfo=UTC)
PARTITION = "bench#default"
FINGERPRINT = "bench:384"
ROUNDS = 200


class Corpus:
    """Seeded records: words by Zipf's law (w0 is in most of them), vectors around a few hundred
    topics.
    """

    def __init__(self, records: int) -> None:
        self.random = random.Random(7)
        self.numbers = np.random.default_rng(7)
        self.size = records
        self.words = [f"w{rank}" for rank in range(VOCABULARY)]
        self.odds = [1 / (rank + 1) for rank in range(VOCABULARY)]
        topics = self.numbers.normal(size=(300, DIMENSION))
        chosen = topics[self.numbers.integers(0, 300, records)]
        self.vectors = unit_rows(chosen + self.numbers.normal(size=(records, DIMENSION)))

    def entries(self) -> Iterator[Entry]:
        for number in range(self.size):
            length = self.random.randrange(20, 80)
            text = " ".join(self.random.choices(self.words, self.odds, k=length))
            content = Content(
                text=text,
                kind=("fact", "note")[number % 2],
                tags=(f"tag{number % 10}", f"tag{number % 97}"),
                event_time=NOW - timedelta(hours=number),
                metadata={"team": number % 50},
            )
            yield Entry(
                partition=PARTITION,
                id=f"record-{number:06}",
                revision=number + 1,
                version=2 * number + 3,
                content=content,
                created_at=NOW,
                updated_at=NOW,
                vector=tuple(self.vectors[number].tolist()),
            )

    def question(self) -> str:
        return " ".join(self.random.choices(self.words, self.odds, k=8))

    def near(self) -> tuple[float, ...]:
        base = self.vectors[self.random.randrange(self.size)]
        noisy = base + self.numbers.normal(size=DIMENSION) * 0.04
        return tuple((noisy / np.linalg.norm(noisy)).tolist())


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")


def unit_rows(matrix: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return matrix / np.linalg.norm(matrix, axis=1, keepdims=True)


def lexical(text: str, **options: object) -> LegQuery:
    return LegQuery(
        leg=Leg.LEXICAL, partitions=(PARTITION,), depth=100, now=NOW, text=text,
        **options,  # type: ignore[arg-type]
    )  # fmt: skip


def semantic(vector: tuple[float, ...], **options: object) -> LegQuery:
    return LegQuery(
        leg=Leg.SEMANTIC, partitions=(PARTITION,), depth=100, now=NOW, vector=vector,
        fingerprint=FINGERPRINT, **options,  # type: ignore[arg-type]
    )  # fmt: skip


def measure(name: str, index: SqliteIndex, make: Callable[[], Sequence[LegQuery]]) -> None:
    times = []
    for queries in [make() for _ in range(ROUNDS)]:
        began = time.perf_counter()
        index.search(queries, timeout=10)
        times.append(1000 * (time.perf_counter() - began))
    p50, p95 = np.percentile(times, [50, 95])
    say(f"{name:34} p50 {p50:6.2f}  p95 {p95:6.2f}  max {max(times):6.2f}")


def overlap(index: SqliteIndex, corpus: Corpus, *, rounds: int = 100) -> float:
    """The share of the exact ten nearest that the semantic leg has among its first ten."""
    shared = 0
    for _ in range(rounds):
        vector = corpus.near()
        found = index.search([semantic(vector)], timeout=10)[0].candidates[:10]
        exact = np.argsort(-(corpus.vectors @ np.array(vector)))[:10]
        shared += len({c.id for c in found} & {f"record-{number:06}" for number in exact})
    return shared / (10 * rounds)


def fill(index: SqliteIndex, corpus: Corpus) -> None:
    batch: list[Entry] = []
    entries = list(corpus.entries())
    began = time.perf_counter()
    for entry in entries:
        batch.append(entry)
        if len(batch) == 200:
            index.write(batch)
            batch = []
    index.write(batch)
    say(f"{len(entries) / (time.perf_counter() - began):.0f} records a second written")


def main(records: int) -> None:
    corpus = Corpus(records)
    with tempfile.TemporaryDirectory() as folder:
        fill(SqliteIndex(Path(folder), fingerprint=FINGERPRINT), corpus)
        size = (Path(folder) / "index.sqlite").stat().st_size
        began = time.perf_counter()
        index = SqliteIndex(Path(folder), fingerprint=FINGERPRINT)
        index.search([lexical("w17"), semantic(corpus.near())], timeout=10)
        say(f"file {size / 1e6:.1f} MB; first search {1000 * (time.perf_counter() - began):.0f} ms")
        fact = And((OneOf("kind", ("fact",)), OneOf("metadata.team", tuple(range(25)))))
        recent = TimeRange(NOW - timedelta(hours=records // 2), NOW)
        measure("lexical, 8 words", index, lambda: [lexical(corpus.question())])
        measure(
            "lexical, the 8 commonest words", index, lambda: [lexical("w0 w1 w2 w3 w4 w5 w6 w7")]
        )
        measure("lexical, 1,500 words", index, lambda: [lexical(" ".join(corpus.words[:1500]))])
        measure("semantic", index, lambda: [semantic(corpus.near())])
        measure("both", index, lambda: [lexical(corpus.question()), semantic(corpus.near())])
        measure("both, filtered and in a time range", index, lambda: [
            lexical(corpus.question(), filter=fact, time_range=recent),
            semantic(corpus.near(), filter=fact, time_range=recent),
        ])  # fmt: skip
        say(f"overlap@10 with exact search {overlap(index, corpus):.4f}")
        index.close()


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
