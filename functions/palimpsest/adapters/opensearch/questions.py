"""Legs as the bodies of one `_msearch`, and what is told without asking."""

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

from palimpsest.adapters.opensearch.documents import as_json, term_token, vector_json
from palimpsest.adapters.opensearch.filtering import filter_query, standing_queries
from palimpsest.domain.analysis import terms
from palimpsest.domain.entries import Leg, LegQuery, LegResult, LegStatus
from palimpsest.domain.vectors import Vector

Body = dict[str, Any]

MOST_TERMS = 1_000
"""Terms of one body: an engine takes 1,024 clauses unless told otherwise. A longer question is
asked in parts.
"""

TIE_ROOM = 28
"""Nearest entries asked for beyond the depth: the engine chooses among equally near ones as it
likes, and only those it gives are put in their order.
"""

RETURNED = ["revision", "text_hash"]
ORDER: list[Body] = [{"_score": "desc"}, {"id": "asc"}, {"partition": "asc"}]


Common = Callable[[Sequence[str]], Collection[str]]
"""Those of a question's distinct terms (as they stand in the index) that admit nothing alone."""


@dataclass(frozen=True, slots=True)
class Question:
    """One leg as it is asked: bodies whose scores add up, or an answer known beforehand. `words`
    are the distinct terms it asks for, as they stand in the index; the `common` ones admit nothing.
    """

    query: LegQuery
    bodies: Sequence[Body] = ()
    answer: LegResult | None = None
    words: Sequence[str] = ()
    common: Collection[str] = frozenset()


def question(
    query: LegQuery, *, fingerprint: str, dimension: int, timeout: float, common: Common
) -> Question:
    """The question of a leg to an index of that model. `timeout` (seconds) is the engine's own."""
    if query.leg is Leg.LEXICAL:
        return _lexical(query, timeout=timeout, common=common)
    if query.vector is None:
        return _known(query, LegStatus.SKIPPED, "no_vector")
    if query.fingerprint != fingerprint or len(query.vector) != dimension:
        return _known(query, LegStatus.FAILED, "fingerprint_mismatch")
    length = math.hypot(*query.vector)
    if not math.isfinite(length) or length == 0:
        return _known(query, LegStatus.FAILED, "unusable_vector")
    return Question(query, [_semantic(query, query.vector, timeout=timeout)])


def payload(bodies: Sequence[Body], *, index: str) -> bytes:
    """The lines of the `_msearch` of these bodies, in order."""
    header = as_json({"index": index})
    return b"\n".join([line for body in bodies for line in (header, _line(body))]) + b"\n"


def engine_time(timeout: float, *, step_ms: int = 1) -> str:
    """A time-out (seconds) as a body says it, in whole steps where it is one at least."""
    millis = max(1, int(1000 * timeout))
    return f"{millis - millis % step_ms if millis > step_ms else millis}ms"


def _line(body: Body) -> bytes:
    near = body["query"].get("knn")
    if near is None:
        return as_json(body)
    rest = {name: value for name, value in near["vector"].items() if name != "vector"}
    rest["vector"] = []
    told = as_json({**body, "query": {"knn": {"vector": rest}}})
    return told.replace(b'"vector":[]', b'"vector":' + vector_json(near["vector"]["vector"]), 1)


def _known(query: LegQuery, status: LegStatus, reason: str) -> Question:
    return Question(query, answer=LegResult(leg=query.leg, status=status, reason=reason))


def _lexical(query: LegQuery, *, timeout: float, common: Common) -> Question:
    words = list(dict.fromkeys(map(term_token, dict.fromkeys(terms(query.text)))))
    if not words:
        return _known(query, LegStatus.SKIPPED, "no_terms")
    must, must_not = _standing(query)
    known = frozenset(common(words))
    if known:  # one clause, however many terms; of the whole question, whichever part it is in
        must.append({"terms": {"terms": [word for word in words if word not in known]}})
    bodies = []
    for start in range(0, len(words), MOST_TERMS):
        said = " ".join(words[start : start + MOST_TERMS])
        match = {"match": {"terms": {"query": said, "operator": "or"}}}
        found = {"bool": {"must": [match], "filter": must, "must_not": must_not}}
        bodies.append(_body(query, found, timeout=timeout))
    return Question(query, bodies, words=words, common=known)


def _semantic(query: LegQuery, vector: Vector, *, timeout: float) -> Body:
    must, must_not = _standing(query)
    near = {
        "vector": vector,
        "k": query.depth + 1 + TIE_ROOM,
        "filter": {"bool": {"filter": must, "must_not": must_not}},
    }
    return _body(query, {"knn": {"vector": near}}, timeout=timeout)


def _standing(query: LegQuery) -> tuple[list[Body], list[Body]]:
    must, must_not = standing_queries(query.partitions, query.now, query.time_range)
    if query.filter is not None:
        must.append(filter_query(query.filter))
        must_not.append({"term": {"tombstone": True}})  # what `Not` would let through
    return must, must_not


def _body(query: LegQuery, found: Body, *, timeout: float) -> Body:
    return {
        "size": query.depth + 1,  # one more than asked, to know whether there is more
        "query": found,
        "sort": ORDER,
        "stored_fields": "_none_",
        "docvalue_fields": RETURNED,
        "track_total_hits": False,
        "track_scores": True,
        "timeout": engine_time(timeout),
    }
