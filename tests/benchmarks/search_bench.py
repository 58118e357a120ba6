"""Search: the whole handler against the bare embedder and the bare index, and hydration against a
bare BatchGetItem.

The handler's own part is its wall time without what its answer states as `timings_ms.hydrate`, an
interval inside the one measured. Bare is the same embedder asked for the same question, then the
same two legs at the same depth: no clock, no fusion, no table, no JSON. The local endpoint and the
model share this machine's processors, so that the two reads beside the embedding slow it down: the
second bare figure makes the same two reads beside it.
"""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import boto3

from benchmarks.measuring import Figure, interleaved, timed
from benchmarks.place import TENANT, Place
from benchmarks.sentences import Sentences
from http_event import Context, event
from palimpsest.adapters.dynamodb import items
from palimpsest.domain.entries import Leg, LegQuery

BAR = 1.3
LIMITS = (10, 25)


class SearchBench:
    """One namespace asked through the handler, and barely."""

    def __init__(self, place: Place, records: int, *, limit: int = LIMITS[0]) -> None:
        self.handler = place.modules["search"].handler
        self.parts = place.services("search").parts
        (self.embedder,) = self.parts.embedders.values()
        self.client = boto3.client("dynamodb")
        self.namespace = place.namespace_of(records)
        self.limit = limit
        self.sentences = Sentences(seed=1000 + limit)
        self.questions: list[str] = []
        self.found: dict[int, list[str]] = {}

    def question(self, number: int) -> str:
        """A question of its own for each round, the same for both sides."""
        while len(self.questions) <= number:
            self.questions.append(self.sentences.question())
        return self.questions[number]

    def ours(self, number: int) -> Sequence[float]:
        """Handler without hydration, hydration, whole handler."""
        body = {
            "query": self.question(number), "namespace": self.namespace, "limit": self.limit,
        }  # fmt: skip
        asked = event("POST", "/search", body=body)
        whole, told = timed(lambda: self.handler(asked, Context()))
        answer = self._checked(told)
        self.found[number] = [hit["id"] for hit in answer["hits"]]
        hydrate = float(answer["timings_ms"]["hydrate"])
        return whole - hydrate, hydrate, whole

    def bare(self, number: int) -> Sequence[float]:
        """Embedder and legs, BatchGetItem, both; and the first with two reads beside it."""
        question = self.question(number)
        beside, _ = timed(lambda: self.legs(self.vector_beside_reads(question), question))
        asked, _ = timed(lambda: self.legs(self.vector(question), question))
        ids = self.found.get(number) or [f"record-{n:06}" for n in range(self.limit)]
        pk = items.partition(TENANT, self.namespace)
        keys = [items.key(pk, items.record_sk(record_id)) for record_id in ids]
        wanted: Any = {"RecordsTable": {"Keys": keys, "ConsistentRead": True}}
        read, _ = timed(lambda: self.client.batch_get_item(RequestItems=wanted))
        return asked, read, asked + read, beside

    def vector(self, question: str) -> tuple[float, ...]:
        found: tuple[float, ...] = self.embedder.embed_query(question, timeout=5)
        return found

    def vector_beside_reads(self, question: str) -> tuple[float, ...]:
        pending = self.parts.executor.submit(lambda: self.vector(question))
        pk = items.partition(TENANT, self.namespace)
        for sk in (items.CLOCK, f"INDEX#{self.parts.index.generation()}"):
            self.client.get_item(
                TableName="RecordsTable", Key=items.key(pk, sk), ConsistentRead=True
            )
        found: tuple[float, ...] = pending.result()
        return found

    def legs(self, vector: tuple[float, ...], question: str) -> Any:
        queries = [
            LegQuery(
                leg=leg,
                partitions=(items.partition(TENANT, self.namespace),),
                depth=self.parts.depth,
                now=datetime.now(UTC),
                text=question,
                vector=vector if leg is Leg.SEMANTIC else None,
                fingerprint=self.embedder.fingerprint,
            )
            for leg in Leg
        ]
        return self.parts.index.search(queries, timeout=5)

    def _checked(self, told: dict[str, Any]) -> dict[str, Any]:
        """The answer, which must be a full page that nothing fell short of."""
        answer: dict[str, Any] = json.loads(told["body"])
        if told["statusCode"] != 200 or answer["degraded"] or len(answer["hits"]) != self.limit:
            raise RuntimeError(f"not the answer to be measured: {told['body'][:500]}")
        return answer


def measure(place: Place, *, records: int, rounds: int) -> list[Figure]:
    """The handler's own part, hydration and the whole, for pages of 10 and of 25."""
    figures = []
    for limit in LIMITS:
        bench = SearchBench(place, records, limit=limit)
        (own, hydrate, whole), (asked, read, both, beside) = interleaved(
            rounds, bench.ours, bench.bare
        )
        page = f"page of {limit}"
        figures += [
            Figure(name=f"search without hydration, {page}", ours=own, bare=asked, bar=BAR),
            Figure(name=f"… / with its two reads beside, {page}", ours=own, bare=beside, bar=BAR),
            Figure(name=f"hydration / BatchGetItem, {page}", ours=hydrate, bare=read),
            Figure(name=f"whole search, {page}", ours=whole, bare=both),
        ]
    return figures
