"""Cursors of searches: the rest of the list itself, so that neither a write nor another rewriting
of the question shifts it.

A cursor holds ids, text hashes, scores and ranks, and how the stages fared, compressed and sealed
as in `cursors`; bound to tenant and to every member of the body but the limit, `namespaces` being
another one than `namespace` even where it names the same.
"""

import hashlib
import json
import zlib
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from palimpsest.api.cursors import Cursors
from palimpsest.domain.entries import Candidate, Leg, LegResult, LegStatus
from palimpsest.domain.errors import CursorMismatch
from palimpsest.domain.fusion import FusedHit, Part, Way
from palimpsest.domain.queries import (
    Deep,
    Outcome,
    Reranked,
    RerankStatus,
    Rest,
    SearchRequest,
)

MOST_CHARACTERS = 500_000
MOST_BYTES = 4_000_000
"""Of what a cursor holds, decompressed."""

LEVEL = 3
"""Of compression: hashes and scores hardly shrink any further, and it takes a third of the time."""


class SearchCursors:
    """Seals what a search has left, and opens it again."""

    def __init__(self, cursors: Cursors) -> None:
        self._cursors = cursors

    def seal(
        self, rest: Rest | None, request: SearchRequest, *, by_namespace: bool = False
    ) -> str | None:
        """The cursor of a rest; None where there is none. `by_namespace`: as it was asked for. Of a
        list that no cursor can hold, which takes thousands of hits, the end is left out.
        """
        if rest is None:
            return None
        bound = _bound(request, by_namespace=by_namespace)
        while True:
            said = json.dumps(_rest_json(rest, request), separators=(",", ":"), ensure_ascii=False)
            body = said.encode()
            cursor = self._cursors.seal_bytes(zlib.compress(body, LEVEL), *bound)
            room = min(MOST_CHARACTERS / len(cursor), MOST_BYTES / len(body))
            if room >= 1:
                return cursor
            fitting = int(0.95 * len(rest.hits) * room)
            rest = replace(rest, hits=rest.hits[:fitting])

    def open(self, cursor: str, request: SearchRequest, *, by_namespace: bool = False) -> Rest:
        """The rest that a cursor holds. Raises `CursorMismatch`."""
        bound = _bound(request, by_namespace=by_namespace)
        packed = self._cursors.open_bytes(cursor, *bound, most=MOST_CHARACTERS)
        reader = zlib.decompressobj()
        said = reader.decompress(packed, MOST_BYTES)
        if reader.unconsumed_tail:
            raise CursorMismatch("this is not a cursor")
        return _rest(json.loads(said), request)


def _bound(request: SearchRequest, *, by_namespace: bool) -> tuple[str, str, str]:
    """What tells this request from every other but those with another limit."""
    members = repr((replace(request, limit=0), by_namespace)).encode()
    return request.tenant, "search", hashlib.sha256(members).hexdigest()


def _rest_json(rest: Rest, request: SearchRequest) -> dict[str, Any]:
    places = {partition: place for place, partition in enumerate(request.partitions)}
    outcome = rest.outcome
    return {
        "kind": rest.score_kind,
        "generation": rest.generation,
        "hits": [_hit_json(hit, places, explained=request.explain) for hit in rest.hits],
        "legs": [
            [leg.value, result.status.value, len(result.candidates), result.reason, result.cut]
            for leg, result in outcome.legs.items()
        ],
        "deep": asdict(outcome.deep),
        "rerank": [outcome.rerank.status.value, outcome.rerank.reason, outcome.rerank.model],
        "degraded": list(outcome.degraded),
    }


def _hit_json(hit: FusedHit, places: Mapping[str, int], *, explained: bool) -> list[Any]:
    """Its row; by which ways it was found is told only where it is explained."""
    one = hit.candidate
    parts = [[leg.value, *part] for leg, part in hit.parts.items()]
    return [
        places[one.partition],
        one.id,
        one.revision,
        one.text_hash,
        hit.score,
        hit.relevance,
        parts,
        [[*way] for way in hit.ways] if explained else [],
    ]


def _rest(told: Mapping[str, Any], request: SearchRequest) -> Rest:
    partitions = list(request.partitions)
    status, reason, model = told["rerank"]
    deep = {**told["deep"], "variations": tuple(told["deep"]["variations"])}
    outcome = Outcome(
        legs={Leg(row[0]): _leg(*row) for row in told["legs"]},
        deep=Deep(**deep),
        rerank=Reranked(RerankStatus(status), reason, model),
        degraded=told["degraded"],
    )
    hits = [_hit(row, partitions) for row in told["hits"]]
    return Rest(hits, told["kind"], told["generation"], outcome)


def _leg(leg: str, status: str, hits: int, reason: str | None, cut: bool) -> LegResult:  # noqa: FBT001
    """A leg's outcome; of its candidates only how many there were."""
    nobody = Candidate("", "", 0.0, 0, "")
    return LegResult(
        leg=Leg(leg), status=LegStatus(status), candidates=[nobody] * hits, reason=reason, cut=cut
    )


def _hit(row: list[Any], partitions: list[str]) -> FusedHit:
    place, record_id, revision, text_hash, score, relevance, parts, ways = row
    by_leg = {Leg(leg): Part(*part) for leg, *part in parts}
    first = next(iter(by_leg.values()))
    candidate = Candidate(partitions[place], record_id, first.score, revision, text_hash)
    told = tuple(Way(Leg(leg), *way) for leg, *way in ways)
    return FusedHit(score, by_leg, candidate, relevance, told)
