"""Explanations over every kind of index, and indexes and models with a fault of their own."""

from collections.abc import Callable, Sequence
from typing import Any

from palimpsest.bootstrap.searching import make_explain
from palimpsest.domain.entries import Leg, LegQuery, LegResult, LegStatus
from palimpsest.domain.errors import Unavailable
from palimpsest.domain.explanation import Explained
from palimpsest.domain.queries import SearchAnswer, SearchRequest
from world import NAMESPACE, TENANT, World

FILLER = {f"f{n}": f"entry {word} of the ledger" for n, word in enumerate("abcdefgh")}
"""Texts that share no word with the questions, so that those words are rare."""


def explain(
    world: World, query: str, *expected: str, **options: Any
) -> tuple[SearchAnswer, list[Explained]]:
    request = SearchRequest(tenant=TENANT, query=query, **{"namespaces": (NAMESPACE,), **options})
    return make_explain(world.search_parts, world.searches).explain(request, expected)


def lost(world: World, query: str, record_id: str, **options: Any) -> Explained:
    """What became of one record."""
    _, (told,) = explain(world, query, record_id, **options)
    assert told.id == record_id
    return told


def projected(world: World, texts: dict[str, str], **fields: Any) -> World:
    world.put_many(texts, **fields)
    world.project()
    return world


class Judge:
    """A reranker that goes by the first of its words that a document has."""

    name = "judge"

    def __init__(self, **scores: float) -> None:
        self._scores = scores

    def rerank(self, query: str, documents: Sequence[str], *, timeout: float) -> list[float]:  # noqa: ARG002
        return [
            next((score for word, score in self._scores.items() if word in document), -1.0)
            for document in documents
        ]


class PassedOn:
    """An index whose searches go through `asked`, with the number of searches before."""

    def __init__(
        self, index: Any, asked: Callable[[int, list[LegResult]], Sequence[LegResult]]
    ) -> None:
        self._index, self._asked, self._count = index, asked, 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._index, name)

    def search(self, queries: Sequence[LegQuery], **options: Any) -> Sequence[LegResult]:
        found = self._index.search(queries, **options)
        self._count += 1
        return self._asked(self._count - 1, found)


class Mute:
    """An index that answers the first search and nothing after it."""

    def __init__(self, index: Any) -> None:
        self._index, self._searched = index, False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._index, name)

    def search(self, queries: Sequence[LegQuery], **options: Any) -> Sequence[LegResult]:
        if self._searched:
            raise Unavailable("no node answers", stage="search")
        self._searched = True
        found: Sequence[LegResult] = self._index.search(queries, **options)
        return found

    def legs(self, partition: str, record_id: str) -> frozenset[Leg]:
        raise Unavailable(f"no node answers for {partition} {record_id}", stage="search")


def without(leg: Leg) -> Callable[[int, list[LegResult]], Sequence[LegResult]]:
    """That leg has failed."""
    failed = LegResult(leg=leg, status=LegStatus.FAILED, reason="broken")
    return lambda _, found: [failed if one.leg is leg else one for one in found]
