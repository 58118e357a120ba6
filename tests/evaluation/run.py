"""Measure retrieval on an evaluation set through the HTTP API of a running stack.

`python tests/evaluation/run.py FOLDER`, with PALIMPSEST_URL and PALIMPSEST_KEY in the environment.
The set is loaded into a namespace of its own (named for the set and the text put), once; then every
question is asked once with `limit` 50, in order.
"""

import argparse
import hashlib
import json
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from evaluation.measures import ndcg, recall, reciprocal_rank
from evaluation.sets import EvaluationSet, Question, read, superseded

BATCH = 25
BATCH_BYTES = 800_000
PATIENCE_S = 1800.0


@dataclass(frozen=True, slots=True)
class Asked:
    """One question's ranking, and the milliseconds it took: on the wire and by stage."""

    question: Question
    ranking: list[str]
    ms: float
    stages: dict[str, float]


def load(client: httpx.Client, chosen: EvaluationSet, namespace: str, folder: Path) -> float:
    """Put every record and wait for the index; seconds until it had caught up, 0 if it was
    there.
    """
    status = client.get(f"namespaces/{namespace}").raise_for_status().json()
    if status["counts"]["active"] >= len(chosen.records) - len(superseded(folder)):
        return 0.0 if _whole(client, namespace) else _wait(client, namespace, time.monotonic())
    start = time.monotonic()
    for operations in _batches(chosen.records):
        body = {"operations": operations}
        client.post(f"namespaces/{namespace}/commits", json=body).raise_for_status()
    for old, new in superseded(folder):
        record = dict(next(fields for i, fields in chosen.records if i == new), supersedes=[old])
        client.put(f"namespaces/{namespace}/records/{new}", json=record).raise_for_status()
    return _wait(client, namespace, start)


def _wait(client: httpx.Client, namespace: str, start: float) -> float:
    while not _whole(client, namespace):
        if time.monotonic() - start > PATIENCE_S:
            raise TimeoutError("the index has not caught up")
        time.sleep(0.5)
    return time.monotonic() - start


def _whole(client: httpx.Client, namespace: str) -> bool:
    """Whether the index has caught up and nothing waits for its vector."""
    status = client.get(f"namespaces/{namespace}").raise_for_status().json()
    return not status["lag"] and not status["counts"]["unsearchable"]


def _batches(records: Iterable[tuple[str, dict[str, Any]]]) -> Iterable[list[dict[str, Any]]]:
    batch: list[dict[str, Any]] = []
    size = 0
    for record_id, record in records:
        operation = {"op": "put", "id": record_id, "record": record}
        bytes_of_it = len(json.dumps(operation))
        if batch and (len(batch) == BATCH or size + bytes_of_it > BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(operation)
        size += bytes_of_it
    if batch:
        yield batch


def ask(client: httpx.Client, question: Question, namespace: str, options: dict[str, Any]) -> Asked:
    """One search."""
    body = {"query": question.text, "namespace": namespace, "limit": 50, **options}
    start = time.monotonic()
    answer = client.post("search", json=body).raise_for_status().json()
    took = (time.monotonic() - start) * 1000
    if answer["degraded"]:
        raise RuntimeError(f"a degraded answer measures nothing: {answer['degraded']}")
    ranking = [hit["id"] for hit in answer["hits"]]
    return Asked(question, ranking, took, answer["timings_ms"])


def report(asked: list[Asked]) -> dict[str, Any]:
    """Means over questions, counts of top-1 and top-5, and times."""

    def mean(measure: Callable[[Asked], float]) -> float:
        return round(statistics.fmean(map(measure, asked)), 4)

    found: dict[str, Any] = {
        "questions": len(asked),
        "ndcg@10": mean(lambda a: ndcg(a.ranking, a.question.relevant)),
        "recall@5": mean(lambda a: recall(a.ranking, a.question.relevant, depth=5)),
        "recall@10": mean(lambda a: recall(a.ranking, a.question.relevant, depth=10)),
        "mrr@10": mean(lambda a: reciprocal_rank(a.ranking, a.question.relevant, depth=10)),
        "mrr@20": mean(lambda a: reciprocal_rank(a.ranking, a.question.relevant, depth=20)),
        "top1": sum(bool(set(a.ranking[:1]) & a.question.relevant) for a in asked),
        "top5": sum(bool(set(a.ranking[:5]) & a.question.relevant) for a in asked),
        "http_ms": _times([a.ms for a in asked]),
    }
    for stage in asked[0].stages:
        found[f"{stage}_ms"] = _times([a.stages.get(stage, 0.0) for a in asked])
    return found


def _times(values: list[float]) -> dict[str, float]:
    ordered = sorted(values)
    p95 = ordered[min(len(ordered) - 1, round(0.95 * len(ordered)))]
    return {"p50": round(statistics.median(ordered), 1), "p95": round(p95, 1)}


def tiers(asked: list[Asked]) -> dict[str, str]:
    """Top-1 and top-5 by tier, where the set has tiers."""
    names = dict.fromkeys(a.question.tier for a in asked if a.question.tier)
    told = {}
    for name in names:
        of_tier = [a for a in asked if a.question.tier == name]
        first, five = report(of_tier)["top1"], report(of_tier)["top5"]
        told[str(name)] = f"{first}/{five} of {len(of_tier)}"
    return told


def main() -> int:
    """Load, ask, print one JSON report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--options", type=json.loads, default={}, help="members of the search body")
    parser.add_argument("--limit", type=int, default=0, help="ask only the first N questions")
    options = parser.parse_args()
    chosen = read(options.folder)
    if not chosen.questions:
        raise ValueError(f"no question of {options.folder} has a judgement in qrels.tsv (tabs)")
    text = json.dumps(chosen.records, sort_keys=True).encode()
    namespace = f"eval-{chosen.name}-{hashlib.sha256(text).hexdigest()[:8]}"
    with httpx.Client(
        base_url=os.environ["PALIMPSEST_URL"].rstrip("/") + "/",
        headers={"Authorization": f"Bearer {os.environ['PALIMPSEST_KEY']}"},
        timeout=60,
    ) as client:
        seconds = load(client, chosen, namespace, options.folder)
        status = client.get(f"namespaces/{namespace}").raise_for_status().json()
        questions = chosen.questions[: options.limit or None]
        asked = [ask(client, question, namespace, options.options) for question in questions]
    told = {
        "set": chosen.name,
        "records": len(chosen.records),
        "load_s": round(seconds, 1),
        "embedding_model": status["embedding_model"],
        "index_generation": status["index_generation"],
        "options": options.options,
        **report(asked),
        "tiers": tiers(asked),
    }
    print(json.dumps(told, indent=1, ensure_ascii=False))  # noqa: T201  # this is its output
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except httpx.HTTPStatusError as error:
        sys.exit(f"error: {error.response.status_code}: {error.response.text}")
    except (httpx.TransportError, OSError, ValueError, KeyError) as error:
        sys.exit(f"error: {type(error).__name__}: {error}")
