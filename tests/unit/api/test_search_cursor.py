import random
import string
import zlib
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.api import search_cursor
from palimpsest.api.cursors import Cursors
from palimpsest.api.search_cursor import MOST_BYTES, MOST_CHARACTERS, SearchCursors
from palimpsest.domain.entries import Candidate, Leg, LegResult, LegStatus
from palimpsest.domain.errors import CursorMismatch
from palimpsest.domain.fusing_variations import fuse_variations
from palimpsest.domain.fusion import FusedHit, Fusion, FusionMethod, fuse
from palimpsest.domain.queries import (
    Deep,
    Outcome,
    Reranked,
    RerankStatus,
    Rest,
    SearchRequest,
)
from palimpsest.domain.vectors import text_hash

SEALING = Cursors(lambda: b"k" * 32)
CURSORS = SearchCursors(SEALING)
REQUEST = SearchRequest(tenant="acme", namespaces=("notes",), query="q", limit=7)
DEEP = Deep(variations=("q", "another q"), reason="router:time", used=True, llm_calls=1, ms=1.5)
OK = Reranked(RerankStatus.OK, model="judge")


def candidates(ids: list[str], partition: str, seed: int) -> list[Candidate]:
    """With scores, revisions and hashes that do not repeat."""
    chance = random.Random(seed)
    scores = sorted((round(chance.random() * 12, 9) for _ in ids), reverse=True)
    return [
        Candidate(partition, one, score, chance.randrange(10**6), text_hash(f"{seed} {one}"))
        for one, score in zip(ids, scores, strict=True)
    ]


def ids_of(count: int, *, length: int = 36, seed: int = 0) -> list[str]:
    chance = random.Random(seed)
    letters = string.ascii_letters + string.digits
    return ["".join(chance.choices(letters, k=length)) for _ in range(count)]


def rest_of(hits: list[FusedHit], reranked: Reranked = OK) -> Rest:
    legs = {
        Leg.LEXICAL: LegResult(leg=Leg.LEXICAL, status=LegStatus.OK, candidates=[]),
        Leg.SEMANTIC: LegResult(
            leg=Leg.SEMANTIC, status=LegStatus.FAILED, candidates=[], reason="broken"
        ),
    }
    return Rest(hits, "weighted", "g-1", Outcome(legs, DEEP, reranked, ["semantic"]))


def many() -> Rest:
    """190 candidates of two legs with ids like UUIDs."""
    ids = ids_of(190)
    legs = {
        Leg.LEXICAL: candidates(ids[:100], "acme#notes", 1),
        Leg.SEMANTIC: candidates(ids[90:], "acme#notes", 2),
    }
    return rest_of(fuse(legs, Fusion()))


@given(
    st.lists(st.sampled_from([f"r{n}" for n in range(9)]), unique=True, min_size=1),
    st.lists(st.sampled_from([f"r{n}" for n in range(9)]), unique=True),
    st.sampled_from(list(FusionMethod)),
    st.none() | st.floats(-20, 20),
)
def test_a_rest_opens_as_it_was_sealed(
    lexical: list[str], semantic: list[str], method: FusionMethod, relevance: float | None
) -> None:
    request = replace(REQUEST, namespaces=("notes", "more"))
    legs = {
        Leg.LEXICAL: candidates(lexical, "acme#notes", 1),
        Leg.SEMANTIC: candidates(semantic, "acme#more", 2),
    }
    fused = fuse(legs, Fusion(method=method))
    rest = rest_of([hit._replace(relevance=relevance) for hit in fused])
    cursor = CURSORS.seal(rest, request)
    assert cursor is not None
    opened = CURSORS.open(cursor, replace(request, limit=50))
    assert opened.outcome == rest.outcome
    assert (opened.score_kind, opened.generation) == ("weighted", "g-1")
    for hit, known in zip(opened.hits, rest.hits, strict=True):
        assert (hit.score, hit.relevance, hit.key) == (known.score, known.relevance, known.key)
        assert hit.parts == known.parts
        assert hit.candidate[3:] == known.candidate[3:]


def deep_rest(ids: list[list[str]], fusion: Fusion) -> Rest:
    """Every way of asking has other candidates."""
    rankings = {
        leg: {
            way: candidates(ids[3 * place + way], f"acme#{'n' * 120}{way}", 3 * place + way)
            for way in range(3)
        }
        for place, leg in enumerate(Leg)
    }
    return rest_of(fuse_variations(rankings, fusion))


def test_ways_of_asking_are_kept_where_they_are_explained() -> None:
    request = replace(REQUEST, namespaces=tuple(f"{'n' * 120}{way}" for way in range(3)))
    rest = deep_rest([ids_of(4, seed=way % 3) for way in range(6)], Fusion())
    for explain in (False, True):
        asked = replace(request, explain=explain)
        opened = CURSORS.open(CURSORS.seal(rest, asked) or "", asked)
        told = [hit.ways for hit in rest.hits] if explain else [()] * len(rest.hits)
        assert [hit.ways for hit in opened.hits] == told


def test_a_list_that_has_ended_has_no_cursor() -> None:
    assert CURSORS.seal(None, REQUEST) is None


def test_a_cursor_of_190_candidates_is_small() -> None:
    rest = many()
    cursor = CURSORS.seal(rest, REQUEST)
    assert cursor is not None
    assert len(cursor) < 40_000
    assert len(CURSORS.open(cursor, REQUEST).hits) == 190


@pytest.mark.parametrize("explain", [False, True])
def test_the_longest_list_of_the_longest_ids_has_a_cursor_that_is_taken_back(
    *, explain: bool
) -> None:
    names = tuple(f"{'n' * 120}{way}" for way in range(3))
    request = replace(REQUEST, namespaces=names, explain=explain)
    rest = deep_rest([ids_of(100, length=256, seed=way) for way in range(6)], Fusion())
    assert len(rest.hits) == 600
    cursor = CURSORS.seal(rest, request)
    assert cursor is not None
    assert len(cursor) <= MOST_CHARACTERS
    assert len(CURSORS.open(cursor, request).hits) == 600


def test_of_a_list_that_no_cursor_can_hold_the_beginning_goes_on() -> None:
    rest = rest_of(fuse({Leg.LEXICAL: candidates(ids_of(2500, length=256), "acme#notes", 1)},
                        Fusion()))  # fmt: skip
    cursor = CURSORS.seal(rest, REQUEST)
    assert cursor is not None
    assert len(cursor) <= MOST_CHARACTERS
    opened = CURSORS.open(cursor, REQUEST).hits
    assert [hit.id for hit in opened] == [hit.id for hit in rest.hits[: len(opened)]]
    assert len(opened) > 1000


def test_what_unpacks_to_more_than_a_list_can_hold_is_not_unpacked() -> None:
    huge = zlib.compress(b"x" * (MOST_BYTES + 1), 1)
    cursor = SEALING.seal_bytes(huge, *search_cursor._bound(REQUEST, by_namespace=False))
    with pytest.raises(CursorMismatch):
        CURSORS.open(cursor, REQUEST)


def test_a_cursor_is_of_one_request_and_one_tenant() -> None:
    cursor = CURSORS.seal(many(), REQUEST)
    assert cursor is not None
    for other in (
        replace(REQUEST, tenant="other"),
        replace(REQUEST, namespaces=("other",)),
        replace(REQUEST, query="Q"),
    ):
        with pytest.raises(CursorMismatch):
            CURSORS.open(cursor, other)
    with pytest.raises(CursorMismatch):
        CURSORS.open(cursor, REQUEST, by_namespace=True)
