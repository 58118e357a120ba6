"""What a reranker is sent, and what its scores must be."""

import math

from palimpsest.domain.clean import without_broken
from palimpsest.domain.embedding import cut, is_blank
from palimpsest.domain.errors import ProviderError

STAGE = "rerank"
"""What errors of a reranker call themselves (`ProviderError.stage`, `Unavailable.stage`)."""

NOTHING = "-"


def presentable(text: str, *, characters: int | None = None) -> str:
    """The text as a model takes it: without broken characters, cut to so many (None: uncut), and a
    dash where nothing is left to judge: a model that refuses an empty text refuses all others
    with it.
    """
    whole = without_broken(text)
    if is_blank(whole):
        return NOTHING
    return whole if characters is None else cut(whole, characters)


def in_order(found: object, count: int, *, member: str) -> list[float]:
    """The scores of `count` documents in their order, out of what a provider gave: a list of
    objects in any order, each with the `index` of a document and, as `member`, its score.

    Raises `ProviderError` unless each whole number below `count` is the index of exactly one object
    and each score is a finite number: `true` is no number, "0.5" is none either.
    """
    if not isinstance(found, list):
        raise _unusable("no list of scores")
    if len(found) != count:
        raise _unusable(f"{len(found)} scores for {count} documents")
    scores: dict[int, float] = {}
    for item in found:
        if not isinstance(item, dict):
            raise _unusable("a score that is no object")
        scores[_place(item.get("index"), count)] = _score(item.get(member))
    if len(scores) != count:
        raise _unusable("two scores for one document and none for another")
    return [scores[place] for place in range(count)]


def _place(index: object, count: int) -> int:
    if type(index) is not int or not 0 <= index < count:
        raise _unusable("a score for a document that was not sent")
    return index


def _score(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _unusable("a score that is no number")
    try:
        score = float(value)
    except OverflowError:
        score = math.inf
    if not math.isfinite(score):
        raise _unusable("a score that is not finite")
    return score


def _unusable(what: str) -> ProviderError:
    return ProviderError(f"the reranker answers {what}", stage=STAGE)
