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
TIMED = 60
"""Questions of a set that are timed."""

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
    """The rankings of one question by method."""

    question: Question
    by_method: Mapping[str, Ranking]


def ranked(index: SearchIndex, ways: Ways, *, fingerprint: str) -> Ranked:
    """Ask both legs for every way and rank them by every method."""
    asked = _asked(index, ways, 1, fingerprint)
    lists = {leg: several[0].candidates for leg, several in asked.items()}
    told: dict[str, Ranking] = {leg.value: _ids(lists[leg]) for leg in Leg}
    for method in FusionMethod:
        told[method.value] = [hit.id for hit in fuse(lists, Fusion(method=method))]
    if len(ways.texts) > 1:
        told |= _deep(_asked(index, ways, len(ways.texts), fingerprint))
    return Ranked(ways.question, told)


def timed(index: SearchIndex, several: Sequence[Ways], *, fingerprint: str) -> dict[str, float]:
    """The median milliseconds of a question by method: what is asked of the index, and fusing. All
    have been asked before.
    """
    some = several[:TIMED]
    told = {}
    for name, legs, count in (
        (Leg.LEXICAL.value, [Leg.LEXICAL], 1),
        (Leg.SEMANTIC.value, [Leg.SEMANTIC], 1),
        (FusionMethod.WEIGHTED.value, list(Leg), 1),
        (f"{DEEP} {FusionMethod.WEIGHTED.value}", list(Leg), len(some[0].texts)),
    ):
        if name.startswith(DEEP) and count == 1:
            continue
        times = []
        for ways in some:
            start = time.perf_counter()
            asked = _asked(index, ways, count, fingerprint, legs=legs)
            if len(legs) > 1:
                fuse({leg: found[0].candidates for leg, found in asked.items()}, Fusion())
            times.append(time.perf_counter() - start)
        told[name] = round(1000 * statistics.median(times), 2)
    return told


def _asked(
    index: SearchIndex,
    ways: Ways,
    count: int,
    fingerprint: str,
    *,
    legs: Sequence[Leg] = (Leg.LEXICAL, Leg.SEMANTIC),
) -> dict[Leg, list[LegResult]]:
    """The legs' answers to the first `count` ways, in one call."""
    common: dict[str, Any] = {"partitions": (PARTITION,), "depth": DEPTH, "now": NOW}
    asked = [
        LegQuery(leg=leg, text=text, vector=tuple(vector), fingerprint=fingerprint, **common)
        for leg in legs
        for text, vector in zip(ways.texts[:count], ways.vectors[:count], strict=True)
    ]
    found = index.search(asked, timeout=TIMEOUT_S)
    return {leg: found[place * count : (place + 1) * count] for place, leg in enumerate(legs)}


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
