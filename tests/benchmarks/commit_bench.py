"""Commits: `CommitService.commit` against a bare `transact_write_items` of the very same items.

The bare transaction is planned beforehand in a namespace of its own, with the same texts, so it
has as many items of the same size and conditions; it is sent by a client as boto3 makes it. A
commit reads before it writes: what that costs is shown by the second figure of each kind, against
a bare read of the same keys and the transaction.
"""

import uuid
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

import boto3

from benchmarks.measuring import Figure, interleaved, timed
from benchmarks.place import TENANT, Place, request
from benchmarks.sentences import Sentences
from palimpsest.adapters.dynamodb import items
from palimpsest.adapters.dynamodb.batches import get_items
from palimpsest.adapters.dynamodb.transaction import commit_writes
from palimpsest.domain.commit_planning import plan_commit

BAR = 1.2
SIZES = (1, 25)
TABLE = "RecordsTable"


class CommitBench:
    """Commits of `size` records: each new, or always the same ones replaced."""

    def __init__(self, place: Place, size: int, *, replacing: bool) -> None:
        self.place, self.size, self.replacing = place, size, replacing
        self.store = place.services("records").store
        self.client = boto3.client("dynamodb")
        self.sentences = Sentences(seed=size)
        self.kind = f"{'replaced' if replacing else 'new'}-{size}"
        self.texts: list[Mapping[str, str]] = []

    def put(self, number: int) -> Mapping[str, str]:
        """The texts of a round by id, the same for both sides."""
        while len(self.texts) <= number:
            first = 0 if self.replacing else len(self.texts) * self.size
            ids = [f"record-{first + place:06}" for place in range(self.size)]
            self.texts.append({i: self.sentences.record() for i in ids})
        return self.texts[number]

    def ours(self, number: int) -> Sequence[float]:
        """The commit."""
        asked = request(f"ours-{self.kind}", self.put(number))
        took, _ = timed(lambda: self.place.services("records").commits.commit(asked))
        return (took,)

    def bare(self, number: int) -> Sequence[float]:
        """The transaction, and with a read of the same keys before it."""
        asked = request(f"bare-{self.kind}", self.put(number))
        pk = items.partition(TENANT, asked.namespace)
        sks = [items.CLOCK, *map(items.record_sk, asked.touched)]
        keys = [items.key(pk, sk) for sk in sks]
        read, _ = timed(lambda: get_items(self.client, TABLE, keys))
        clock, records = self.store.read(TENANT, asked.namespace, asked.touched)
        token = str(uuid.uuid4())
        plan = plan_commit(asked, clock, records, now=datetime.now(UTC), commit_id=token).plan
        if plan is None:
            raise RuntimeError("nothing to commit")
        writes = commit_writes(plan, table=TABLE)
        took, _ = timed(
            lambda: self.client.transact_write_items(
                TransactItems=writes,  # type: ignore[arg-type]
                ClientRequestToken=token,
            )
        )
        return took, took + read


def measure(place: Place, *, rounds: int) -> list[Figure]:
    """Commits of 1 and of 25 records, new and replacing."""
    figures = []
    for size in SIZES:
        for replacing in (False, True):
            bench = CommitBench(place, size, replacing=replacing)
            (ours,), (alone, with_read) = interleaved(rounds, bench.ours, bench.bare)
            name = f"commit of {size}, {'replacing' if replacing else 'new'}"
            figures += [
                Figure(name=f"{name} / transaction", ours=ours, bare=alone, bar=BAR),
                Figure(name=f"{name} / read and transaction", ours=ours, bare=with_read, bar=BAR),
            ]
    return figures
