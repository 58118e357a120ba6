"""One leg's question to the views of its partitions."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from palimpsest.adapters.sqlite.nearest import Comparable, nearest
from palimpsest.adapters.sqlite.partition import View
from palimpsest.adapters.sqlite.postings import scores
from palimpsest.adapters.sqlite.ranking import Scored, first
from palimpsest.domain.analysis import terms
from palimpsest.domain.entries import Candidate, Leg, LegQuery, LegResult, LegStatus

Booleans = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """`common_share` as in `domain.lexical`; how many vectors are compared exactly, and
    shortlisted.
    """

    common_share: float
    exact_rows: int
    shortlist: int


@dataclass(frozen=True, slots=True)
class Asked:
    """A partition that is asked: its name, its view, and which slots may be found."""

    partition: str
    view: View
    allowed: Booleans


def answer(
    query: LegQuery, asked: Sequence[Asked], *, fingerprint: str, limits: Limits
) -> LegResult:
    """The leg's candidates of all partitions; those nothing was ever written to are not among
    `asked`.
    """
    if query.leg is Leg.LEXICAL:
        return _lexical(query, asked, limits=limits)
    if query.vector is None:
        return LegResult(leg=query.leg, status=LegStatus.SKIPPED, reason="no_vector")
    if query.fingerprint != fingerprint:
        return LegResult(leg=query.leg, status=LegStatus.FAILED, reason="fingerprint_mismatch")
    length = math.hypot(*query.vector)
    if not math.isfinite(length) or length == 0:
        return LegResult(leg=query.leg, status=LegStatus.FAILED, reason="unusable_vector")
    vector = np.asarray(query.vector, np.float64) / length
    return _semantic(query, asked, vector=vector, limits=limits)


def _lexical(query: LegQuery, asked: Sequence[Asked], *, limits: Limits) -> LegResult:
    words = list(dict.fromkeys(terms(query.text)))
    if not words:
        return LegResult(leg=query.leg, status=LegStatus.SKIPPED, reason="no_terms")
    views = [one.view for one in asked]
    found = []
    every = scores([view.postings for view in views], words, common_share=limits.common_share)
    for one, scored in zip(asked, every, strict=True):
        slots = np.flatnonzero((scored > 0) & one.allowed)
        found.append(Scored(one.partition, one.view.ids, slots, scored[slots]))
    cut = sum(one.slots.size for one in found) > query.depth
    return _result(query, views, found, cut=cut)


def _semantic(
    query: LegQuery, asked: Sequence[Asked], *, vector: npt.NDArray[np.float64], limits: Limits
) -> LegResult:
    asked = [one for one in asked if one.view.embedded.any()]
    views = [one.view for one in asked]
    if any(vector.size != view.vectors.matrix.shape[1] for view in views):
        return LegResult(leg=query.leg, status=LegStatus.FAILED, reason="fingerprint_mismatch")
    among = [np.flatnonzero(one.allowed & one.view.embedded) for one in asked]
    near = nearest(
        [Comparable(view.vectors, slots) for view, slots in zip(views, among, strict=True)],
        vector,
        depth=query.depth,
        exact_rows=limits.exact_rows,
        shortlist=limits.shortlist,
    )
    found = [
        Scored(one.partition, one.view.ids, slots, cosines)
        for one, (slots, cosines) in zip(asked, near, strict=True)
    ]
    return _result(query, views, found, cut=sum(slots.size for slots in among) > query.depth)


def _result(
    query: LegQuery, views: Sequence[View], found: Sequence[Scored], *, cut: bool
) -> LegResult:
    candidates = [
        Candidate(
            found[place].partition,
            views[place].ids[slot],
            score,
            int(views[place].revisions[slot]),
            views[place].hashes[slot],
        )
        for place, slot, score in first(found, depth=query.depth)
    ]
    return LegResult(leg=query.leg, status=LegStatus.OK, candidates=candidates, cut=cut)
