"""Growth: the same work in a namespace of 10,000 records (ours) and in one of 1,000 (bare)."""

import json
from collections.abc import Callable, Sequence
from typing import Any

from benchmarks.measuring import Figure, interleaved, timed
from benchmarks.place import TENANT, Place
from benchmarks.search_bench import SearchBench
from benchmarks.sentences import Sentences
from http_event import Context, event
from palimpsest.adapters.dynamodb import items

FEW = 10
"""The small namespace has the large one's records divided by this."""


class GrowthBench:
    """One namespace of that many records, and what is done in it."""

    def __init__(self, place: Place, records: int) -> None:
        self.place = place
        self.search = SearchBench(place, records)
        self.namespace = self.search.namespace
        self.sentences = Sentences(seed=5)

    def legs(self, number: int) -> Sequence[float]:
        question = self.search.question(number)
        vector = self.search.vector(question)
        return (timed(lambda: self.search.legs(vector, question))[0],)

    def handler(self, number: int) -> Sequence[float]:
        return (self.search.ours(number)[2],)

    def commit(self, number: int) -> Sequence[float]:
        """A commit of one record, and its projection."""
        text = {f"grown-{number:06}": self.sentences.record()}
        committed, _ = timed(lambda: self.place.commit(self.namespace, text))
        projected, _ = timed(lambda: self.place.project(self.namespace))
        return committed, projected

    def query(self, _: int) -> Sequence[float]:
        """A bare Query that finds nothing: what the local endpoint itself takes more for a large
        partition, which DynamoDB does not.
        """
        values: Any = {
            ":pk": {"S": items.partition(TENANT, self.namespace)},
            ":first": {"S": "U#"},
            ":last": {"S": "U#~"},
        }
        condition = "pk = :pk AND sk BETWEEN :first AND :last"

        def asked() -> Any:
            return self.search.client.query(
                TableName="RecordsTable",
                KeyConditionExpression=condition,
                ExpressionAttributeValues=values,
            )

        return (timed(asked)[0],)

    def page(self, _: int) -> Sequence[float]:
        """The first page of the list of records."""
        asked = event(
            "GET", "/namespaces/{ns}/records", path={"ns": self.namespace}, query={"limit": "50"}
        )
        handler: Callable[..., Any] = self.place.modules["records"].handler
        took, told = timed(lambda: handler(asked, Context()))
        if told["statusCode"] != 200 or len(json.loads(told["body"])["records"]) != 50:
            raise RuntimeError(f"not the page to be measured: {told['body'][:500]}")
        return (took,)


def measure(place: Place, *, records: int, rounds: int) -> list[Figure]:
    """What grows, as a ratio of times, and by how much."""
    few = max(60, records // FEW)
    large, small = GrowthBench(place, records), GrowthBench(place, few)
    (legs,), (few_legs,) = interleaved(rounds, large.legs, small.legs)
    (whole,), (few_whole,) = interleaved(rounds, large.handler, small.handler)
    grown, few_grown = interleaved(rounds, large.commit, small.commit)
    (page,), (few_page,) = interleaved(rounds, large.page, small.page)
    (query,), (few_query,) = interleaved(rounds, large.query, small.query)
    sizes = f"{records:,} / {few:,} records"
    return [
        Figure(name=f"legs, {sizes}", ours=legs, bare=few_legs),
        Figure(name=f"search handler, {sizes}", ours=whole, bare=few_whole),
        Figure(name=f"commit of one, {sizes}", ours=grown[0], bare=few_grown[0]),
        Figure(name=f"projection of one, {sizes}", ours=grown[1], bare=few_grown[1]),
        Figure(name=f"list page of 50, {sizes}", ours=page, bare=few_page),
        Figure(name=f"the endpoint's own Query, {sizes}", ours=query, bare=few_query),
    ]
