"""The engine's answers to one `_msearch`, as the results of legs."""

from collections.abc import Mapping, Sequence
from typing import Any

from palimpsest.adapters.opensearch.client import Unusable, readable
from palimpsest.adapters.opensearch.questions import Question
from palimpsest.domain.entries import Candidate, EntryKey, Leg, LegQuery, LegResult, LegStatus

DIGITS = 9

_OVERLOADED = 429


def results(questions: Sequence[Question], responses: Sequence[Any]) -> list[LegResult]:
    """One result for each question, of `responses` in the order of all bodies. Raises `Unusable`
    where the answers do not fit the questions.
    """
    if len(responses) != sum(len(one.bodies) for one in questions):
        raise Unusable("the index gave another number of answers than it was asked")
    rest = iter(responses)
    return [one.answer or _result(one.query, [next(rest) for _ in one.bodies]) for one in questions]


def missing_index(responses: Sequence[Any]) -> bool:
    """Whether an answer says that the index is not there (any more)."""
    errors = (response.get("error") for response in responses if isinstance(response, Mapping))
    return any(
        isinstance(error, Mapping) and error.get("type") == "index_not_found_exception"
        for error in errors
    )


def _result(query: LegQuery, responses: Sequence[Any]) -> LegResult:
    for response in responses:
        failed = _failure(query, response)
        if failed is not None:
            return failed
    late = any(response.get("timed_out") for response in responses)
    with readable():
        found, cut = _candidates(query, responses)
    if late:  # what was found in time is kept, and told to be incomplete
        return LegResult(
            leg=query.leg, status=LegStatus.TIMEOUT, candidates=found, cut=cut, reason="timeout"
        )
    return LegResult(leg=query.leg, status=LegStatus.OK, candidates=found, cut=cut)


def _failure(query: LegQuery, response: Any) -> LegResult | None:
    """What a leg fails with: an error of its own, or shards that did not answer."""
    if not isinstance(response, Mapping):
        raise Unusable
    reason = None
    if "error" in response:
        reason = "index_overloaded" if response.get("status") == _OVERLOADED else "index_error"
    elif _shards_failed(response):
        reason = "index_partial"
    return (
        None if reason is None else LegResult(leg=query.leg, status=LegStatus.FAILED, reason=reason)
    )


def _shards_failed(response: Mapping[str, Any]) -> bool:
    shards = response.get("_shards")
    if not isinstance(shards, Mapping) or not isinstance(shards.get("failed"), int):
        raise Unusable
    return bool(shards["failed"])


def _candidates(query: LegQuery, responses: Sequence[Any]) -> tuple[list[Candidate], bool]:
    scores: dict[EntryKey, float] = {}
    told: dict[EntryKey, tuple[int, str]] = {}
    cut = False
    for response in responses:
        hits = response["hits"]["hits"]
        cut = cut or len(hits) > query.depth
        for hit in hits:
            score, record_id, partition = hit["sort"]
            key = (str(partition), str(record_id))
            scores[key] = scores.get(key, 0.0) + _score(query.leg, score)
            told[key] = _told(hit["fields"])
    if any(partition not in query.partitions for partition, _ in scores):
        raise Unusable("the index gave entries of another partition")
    ordered = sorted(scores, key=lambda key: (-scores[key], key[1], key[0]))
    found = [Candidate(*key, scores[key], *told[key]) for key in ordered[: query.depth]]
    return found, cut or len(ordered) > query.depth


def _told(fields: Mapping[str, Sequence[Any]]) -> tuple[int, str]:
    return int(fields["revision"][0]), str(fields["text_hash"][0])


def _score(leg: Leg, score: object) -> float:
    """The engine's score as a leg's: of the nearest, 2 x score - 1 is the cosine."""
    number = float(score)  # type: ignore[arg-type]  # anything else raises
    if number != number:  # noqa: PLR0124  # not a number
        raise ValueError("a score that is no number")
    if leg is Leg.SEMANTIC:
        number = max(-1.0, min(1.0, 2.0 * number - 1.0))
    return round(number, DIGITS) + 0.0
