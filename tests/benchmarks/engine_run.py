"""The OpenSearch benchmark in a process of its own, with the interpreter that has the peers:
`benchmarks.run` starts it, and takes its figures over from the file that it writes.

    python -m benchmarks.engine_run --records 10000,100000 --output FILE
"""

import argparse
import importlib.util
import json
import os
import statistics
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

SILENT = {"HAYSTACK_TELEMETRY_ENABLED": "False", "LANGSMITH_TRACING": "false"}
os.environ.update(SILENT)  # before either is imported: nothing is told to anyone

from benchmarks import engine_checks, engine_corpus, engine_node, engine_quality  # noqa: E402
from benchmarks.engine_bench import WARM_UP, Contest, growth, searched, written  # noqa: E402
from benchmarks.measuring import Figure  # noqa: E402

PEERS = ("haystack_integrations", "langchain_community")
FIRST_RECORDS = 1_000
"""Of a trial that is not told: it has the node's compiler see what is coming."""


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def sizes(text: str) -> list[int]:
    return sorted({int(size) for size in text.split(",")})


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--records", type=sizes, default=[10_000, 100_000])
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--without-peers", action="store_true")
    parser.add_argument("--without-quality", action="store_true")
    parser.add_argument("--output", type=Path, required=True)
    return parser.parse_args()


def measured(
    url: str, records: Sequence[int], *, rounds: int, peers: bool
) -> tuple[list[Figure], list[str]]:
    """The figures of every size and of growth from the smallest to the largest, and lines on
    throughput.
    """
    figures: list[Figure] = []
    lines: list[str] = []
    contests: list[Contest] = []
    for size in records:
        say(f"OpenSearch, {size:,} records: writing")
        contest = Contest(url, engine_corpus.made(size, questions=rounds + WARM_UP), peers=peers)
        contest.fill()
        figures += written(contest)
        lines.append(throughput(contest))
        say(f"OpenSearch, {size:,} records: asking")
        figures += searched(contest, rounds=rounds)
        contests.append(contest)
    if len(contests) > 1:
        say("OpenSearch: growth")
        figures += growth(contests[-1], contests[0], rounds=rounds)
    return figures, lines


def throughput(contest: Contest) -> str:
    """Records a second by contender, at the median of its turns."""
    rates = (
        f"{name} {1000 * contest.chunk / statistics.median(times):,.0f}"
        for name, times in contest.written.items()
    )
    return f"{contest.corpus.name} written, records a second: {', '.join(rates)}"


def trial(url: str, *, rounds: int, most: int, peers: bool) -> None:
    """The same once before, for nobody to look at."""
    size = min(FIRST_RECORDS, most)
    contest = Contest(url, engine_corpus.made(size - 1, questions=rounds), peers=peers)
    contest.fill()
    searched(contest, rounds=rounds)


def main() -> int:
    asked = arguments()
    peers = not asked.without_peers
    if peers and not all(importlib.util.find_spec(name) for name in PEERS):
        say("OpenSearch without its peers: this environment has not requirements/bench.txt")
        peers = False
    told: dict[str, Any] = {"ndcg@10": {}}
    with (
        tempfile.TemporaryDirectory(prefix="palimpsest-bench-") as folder,
        engine_node.opened(Path(folder), say=say) as url,
    ):
        engine_checks.check(url)
        trial(url, rounds=asked.rounds, most=max(asked.records), peers=peers)
        figures, lines = measured(url, asked.records, rounds=asked.rounds, peers=peers)
        lacking = engine_quality.missing()
        if asked.without_quality or lacking:
            say(f"nDCG is left out: {lacking or 'not asked for'}")
        else:
            told["ndcg@10"] = engine_quality.measure(url, peers=peers, say=say)
    told["lines"] = lines
    told["figures"] = [asdict(figure) for figure in figures]
    asked.output.write_text(json.dumps(told), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
