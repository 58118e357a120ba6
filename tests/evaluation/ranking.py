"""Every ranking of one set on one index: by leg, by each fusion, and asked in several ways where
the set has variations of its questions.
"""

import statistics
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from evaluation.measures import ndcg, recall, reciprocal_rank
from evaluation.sets import Question
from palimpsest.domain.entries import Candidate, Leg, LegQuery, LegResult
from palimpsest.domain.fusing_variations import fuse_variations
from palimpsest.domain.fusion import Fusion, FusionMethod, fuse
from palimpsest.domain.leg_merging import merge_variations
from palimpsest.ports import SearchIndex

DEPTH = 100
PARTITION = "t#n"
TIMEOUT_S = 60.0
NOW = datetime.now(UTC)
DEEP = "deep"

Vector = Sequence[float]
Ranking = list[str]


@dataclass(frozen=True, slots=True)
class Ways:
    """A question in all its ways, the original first, each with its vector."""

    question: Question
    texts: Sequence[str]
    vectors: Sequence[Vector]


@dataclass(frozen=True, slots=True)
class Ranked:
    """The rankings of one question by method, and the milliseconds of its legs and of fusing."""

    question: Question
    by_method: Mapping[str, Ranking]
    ms: float


def ranked(index: SearchIndex, ways: Ways, *, fingerprint: str) -> Ranked:
    """Ask both legs for every way and rank them by every method."""
    start = time.perf_counter()
    asked = _asked(index, ways, 1, fingerprint)
    lists = {leg: several[0].candidates for leg, several in asked.items()}
    default = fuse(lists, Fusion())
    ms = (time.perf_counter() - start) * 1000
    told: dict[str, Ranking] = {leg.value: _ids(lists[leg]) for leg in Leg}
    told[FusionMethod.WEIGHTED.value] = [hit.id for hit in default]
    for method in (FusionMethod.RRF, FusionMethod.BLEND):
        told[method.value] = [hit.id for hit in fuse(lists, Fusion(method=method))]
    if len(ways.texts) > 1:
        told |= _deep(_asked(index, ways, len(ways.texts), fingerprint))
    return Ranked(ways.question, told, ms)


def _asked(
    index: SearchIndex, ways: Ways, count: int, fingerprint: str
) -> dict[Leg, list[LegResult]]:
    """Both legs' answers to the first `count` ways, in one call."""
    common: dict[str, Any] = {"partitions": (PARTITION,), "depth": DEPTH, "now": NOW}
    queries = [LegQuery(leg=Leg.LEXICAL, text=text, **common) for text in ways.texts[:count]]
    queries += [
        LegQuery(leg=Leg.SEMANTIC, vector=tuple(vector), fingerprint=fingerprint, **common)
        for vector in ways.vectors[:count]
    ]
    found = index.search(queries, timeout=TIMEOUT_S)
    return {Leg.LEXICAL: found[:count], Leg.SEMANTIC: found[count:]}


def _deep(asked: Mapping[Leg, Sequence[LegResult]]) -> dict[str, Ranking]:
    told = {
        f"{DEEP} {leg.value}": _ids(merge_variations(several, depth=DEPTH).candidates)
        for leg, several in asked.items()
    }
    rankings = {
        leg: {place: one.candidates for place, one in enumerate(several)}
        for leg, several in asked.items()
    }
    for method in FusionMethod:
        hits = fuse_variations(rankings, Fusion(method=method))
        told[f"{DEEP} {method.value}"] = [hit.id for hit in hits]
    return told


def _ids(candidates: Sequence[Candidate]) -> Ranking:
    return [one.id for one in candidates]


def measured(several: Sequence[Ranked]) -> dict[str, dict[str, float]]:
    """By method, the means over all questions, and the counts of those with a right first, or one
    among the first five.
    """
    return {method: _measures(several, method) for method in several[0].by_method}


def _measures(several: Sequence[Ranked], method: str) -> dict[str, float]:
    pairs = [(one.by_method[method], one.question.relevant) for one in several]
    return {
        "ndcg@10": round(statistics.fmean(ndcg(r, right) for r, right in pairs), 4),
        "recall@10": round(statistics.fmean(recall(r, right, depth=10) for r, right in pairs), 4),
        "mrr@20": round(
            statistics.fmean(reciprocal_rank(r, right, depth=20) for r, right in pairs), 4
        ),
        "top1": sum(bool(set(r[:1]) & right) for r, right in pairs),
        "top5": sum(bool(set(r[:5]) & right) for r, right in pairs),
    }
