"""One leg's question to a view of its partition."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from palimpsest.adapters.sqlite.nearest import nearest
from palimpsest.adapters.sqlite.partition import View
from palimpsest.adapters.sqlite.postings import scores
from palimpsest.adapters.sqlite.ranking import first
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


def answer(
    query: LegQuery, view: View | None, *, allowed: Booleans, fingerprint: str, limits: Limits
) -> LegResult:
    """The leg's candidates among the `allowed` slots of a view (None: an empty partition)."""
    if query.leg is Leg.LEXICAL:
        return _lexical(query, view, allowed=allowed, limits=limits)
    if query.vector is None:
        return LegResult(leg=query.leg, status=LegStatus.SKIPPED, reason="no_vector")
    if query.fingerprint != fingerprint:
        return LegResult(leg=query.leg, status=LegStatus.FAILED, reason="fingerprint_mismatch")
    length = math.hypot(*query.vector)
    if not math.isfinite(length) or length == 0:
        return LegResult(leg=query.leg, status=LegStatus.FAILED, reason="unusable_vector")
    return _semantic(query, view, allowed=allowed, length=length, limits=limits)


def _lexical(query: LegQuery, view: View | None, *, allowed: Booleans, limits: Limits) -> LegResult:
    words = list(dict.fromkeys(terms(query.text)))
    if not words:
        return LegResult(leg=query.leg, status=LegStatus.SKIPPED, reason="no_terms")
    if view is None:
        return LegResult(leg=query.leg, status=LegStatus.OK)
    found = scores(
        view.segments,
        words,
        alive=view.alive,
        lengths=view.lengths,
        common_share=limits.common_share,
    )
    slots = np.flatnonzero((found > 0) & allowed)
    return _result(query, view, slots=slots, found=found[slots], cut=slots.size > query.depth)


def _semantic(
    query: LegQuery, view: View | None, *, allowed: Booleans, length: float, limits: Limits
) -> LegResult:
    vector = np.asarray(query.vector, np.float64) / length
    if view is None or not view.embedded.any():
        return LegResult(leg=query.leg, status=LegStatus.OK)
    if vector.size != view.vectors.matrix.shape[1]:
        return LegResult(leg=query.leg, status=LegStatus.FAILED, reason="fingerprint_mismatch")
    among = np.flatnonzero(allowed & view.embedded)
    cut = among.size > query.depth
    slots, found = nearest(
        view.vectors,
        vector,
        among=among,
        depth=query.depth,
        exact_rows=limits.exact_rows,
        shortlist=limits.shortlist,
    )
    return _result(query, view, slots=slots, found=found, cut=cut)


def _result(
    query: LegQuery,
    view: View,
    *,
    slots: npt.NDArray[np.integer],
    found: npt.NDArray[np.floating],
    cut: bool,
) -> LegResult:
    candidates = [
        Candidate(view.ids[slot], score, int(view.revisions[slot]), view.hashes[slot])
        for slot, score in first(slots, found, ids=view.ids, depth=query.depth)
    ]
    return LegResult(leg=query.leg, status=LegStatus.OK, candidates=candidates, cut=cut)
