"""The engine's answers to one `_msearch`, as the results of legs."""

from collections.abc import Mapping, Sequence
from typing import Any

from palimpsest.adapters.opensearch.client import Unusable, readable
from palimpsest.adapters.opensearch.questions import Question
from palimpsest.domain.entries import Candidate, EntryKey, Leg, LegQuery, LegResult, LegStatus

DIGITS = 9

_OVERLOADED = 429


def results(questions: Sequence[Question], responses: Sequence[Any]) -> list[LegResult]:
    """One result for each question, of one response for each of their bodies, in order. Raises
    `Unusable` where an answer does not fit its question.
    """
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
    rows = [_row(hit["sort"], hit["fields"]) for hits in pages for hit in hits]
    if not {row[2] for row in rows} <= set(query.partitions):
        raise Unusable("the index gave entries of another partition")
    scores = _scores(query.leg, [row[0] for row in rows])
    found = [
        (-score, record_id, partition, revision, text_hash)
        for score, (_, record_id, partition, revision, text_hash) in zip(scores, rows, strict=True)
    ]
    if len(pages) > 1:
        found = _added_up(found)
    found.sort()
    cut = len(found) > query.depth or any(len(hits) > query.depth for hits in pages)
    return [
        Candidate(partition, record_id, 0.0 - negative, revision, text_hash)
        for negative, record_id, partition, revision, text_hash in found[: query.depth]
    ], cut


_Row = tuple[float, str, str, int, str]
"""Score (negative once it is a leg's), id, partition, revision and text hash."""


def _row(sort: Sequence[Any], fields: Mapping[str, Any]) -> _Row:
    score, record_id, partition = sort
    (revision,), (text_hash,) = fields["revision"], fields["text_hash"]
    return score, str(record_id), str(partition), int(revision), str(text_hash)


def _added_up(found: Sequence[_Row]) -> list[_Row]:
    """One row of each entry, with the sum of what the parts of the question gave it."""
    sums: dict[EntryKey, _Row] = {}
    for row in found:
        negative, record_id, partition, revision, text_hash = row
        known = sums.get((partition, record_id))
        total = round(negative + (known[0] if known is not None else 0.0), DIGITS)
        sums[partition, record_id] = total, record_id, partition, revision, text_hash
    return list(sums.values())


def _scores(leg: Leg, told: Sequence[Any]) -> list[float]:
    """The engine's scores as the leg's: of the nearest, 2 x score - 1 is the cosine."""
    numbers = [float(score) for score in told]  # anything else raises
    if any(number != number for number in numbers):  # noqa: PLR0124  # not a number
        raise ValueError("a score that is no number")
    if leg is Leg.SEMANTIC:
        return [round(max(-1.0, min(1.0, 2.0 * number - 1.0)), DIGITS) for number in numbers]
    return [round(number, DIGITS) for number in numbers]
