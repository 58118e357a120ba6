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
    pages = [response["hits"]["hits"] for response in responses]
    found = [_candidate(query.leg, hit) for hits in pages for hit in hits]
    if len(pages) > 1:
        found = _added_up(found)
    if any(candidate.partition not in query.partitions for candidate in found):
        raise Unusable("the index gave entries of another partition")
    found.sort(key=lambda candidate: (-candidate.score, candidate.id, candidate.partition))
    cut = len(found) > query.depth or any(len(hits) > query.depth for hits in pages)
    return found[: query.depth], cut


def _candidate(leg: Leg, hit: Mapping[str, Any]) -> Candidate:
    (score, record_id, partition), fields = hit["sort"], hit["fields"]
    (revision,), (text_hash,) = fields["revision"], fields["text_hash"]
    return Candidate(
        str(partition), str(record_id), _score(leg, score), int(revision), str(text_hash)
    )


def _added_up(found: Sequence[Candidate]) -> list[Candidate]:
    """One candidate of each entry, with the sum of what the parts of the question gave it."""
    sums: dict[EntryKey, Candidate] = {}
    for candidate in found:
        known = sums.get(candidate.key)
        before = known.score if known is not None else 0.0
        sums[candidate.key] = candidate._replace(score=round(before + candidate.score, DIGITS))
    return list(sums.values())


def _score(leg: Leg, score: object) -> float:
    """The engine's score as a leg's: of the nearest, 2 x score - 1 is the cosine."""
    number = float(score)  # type: ignore[arg-type]  # anything else raises
    if number != number:  # noqa: PLR0124  # not a number
        raise ValueError("a score that is no number")
    if leg is Leg.SEMANTIC:
        number = max(-1.0, min(1.0, 2.0 * number - 1.0))
    return round(number, DIGITS) + 0.0
