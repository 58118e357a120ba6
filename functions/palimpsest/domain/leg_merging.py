"""One ranking of a leg, where a question was asked in several ways.

The lexical score of a candidate is the sum of what each way of asking gave it: BM25 of the question
expanded by all of them, in which a word that stands in several counts several times. Its semantic
score is the best of its cosines. So a merged score is still a score of its leg.
"""

from collections.abc import Sequence
from dataclasses import replace

from palimpsest.domain.entries import Candidate, EntryKey, Leg, LegResult, LegStatus

_DIGITS = 9


def merge_variations(results: Sequence[LegResult], *, depth: int) -> LegResult:
    """One result out of those of the variations of one leg, the original's first; at most `depth`
    candidates.

    The original's status stands: without it the others count for nothing. Where it is `ok` and one
    of the others was not answered, the reason says so. The times are one round trip's.
    """
    original, *others = results
    if original.status is not LegStatus.OK or not others:
        return original
    answered = [original, *(one for one in others if one.status is LegStatus.OK)]
    short = next((one for one in others if one.status in _SHORT), None)
    candidates = _merged(original.leg, [one.candidates for one in answered])
    return replace(
        original,
        candidates=candidates[:depth],
        cut=any(one.cut for one in answered) or len(candidates) > depth,
        reason=f"variation:{short.reason}" if short is not None else None,
    )


_SHORT = (LegStatus.FAILED, LegStatus.TIMEOUT)


def _merged(leg: Leg, rankings: Sequence[Sequence[Candidate]]) -> list[Candidate]:
    found: dict[EntryKey, Candidate] = {}
    for ranking in rankings:
        seen: set[EntryKey] = set()
        for one in ranking:
            known = found.get(one.key)
            if known is None:
                found[one.key] = one
            elif one.key not in seen:
                score = max(known.score, one.score)
                if leg is Leg.LEXICAL:
                    score = round(known.score + one.score, _DIGITS)
                newest = one if one.revision > known.revision else known
                found[one.key] = newest._replace(score=score)
            seen.add(one.key)
    return sorted(found.values(), key=lambda one: (-one.score, one.id, one.partition))
