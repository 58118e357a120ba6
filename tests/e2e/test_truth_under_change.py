import itertools
import random
import threading
import time
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

import pytest

from e2e.client import Client
from e2e.fire import run
from e2e.index_at_rest import entries_of, records_of
from stack import LocalStack

pytestmark = pytest.mark.stack
CLIENTS, SEARCHERS, RECORDS, SECONDS = 8, 4, 1000, 30
WORDS = ("heron", "otter", "lynx", "badger", "falcon", "newt", "adder", "marten")
NEVER = float("inf")
_serial = itertools.count(1)


@dataclass(slots=True)
class Truth:
    """For each record the texts it had, each with the earliest begin and the latest end of its
    standing.
    """

    standing: dict[str, list[tuple[str, float, float]]] = field(
        default_factory=lambda: defaultdict(list)
    )

    def says(self, record_id: str, text: str, began: float, ended: float) -> bool:
        """Whether the record may have had that text at some moment between the two."""
        return any(
            text == stood and start <= ended and end >= began
            for stood, start, end in self.standing[record_id]
        )

    def replace(self, record_id: str, text: str | None, began: float, ended: float) -> None:
        """From somewhere between `began` and `ended` on the record has this text (None: none)."""
        history = self.standing[record_id]
        if history and history[-1][2] == NEVER:
            old, start, _ = history[-1]
            history[-1] = (old, start, ended)
        if text is not None:
            history.append((text, began, NEVER))


def change(client: Client, namespace: str, ids: list[str], end: float, truth: Truth) -> None:
    """Put, change and delete own records at random. One client owns an id, so it knows its
    truth.
    """
    chance = random.Random(ids[0])
    while time.monotonic() < end:
        record_id = chance.choice(ids)
        text = f"the {chance.choice(WORDS)} seen by the river, note {next(_serial)}"
        forget = chance.random() < 0.25
        began = time.monotonic()
        if not forget:  # it may stand from now on, whatever the answer is like
            truth.standing[record_id].append((text, began, began + 120))
        answer = (
            client.delete(namespace, record_id)
            if forget
            else client.put(namespace, record_id, text)
        )
        ended = time.monotonic()
        assert answer.status_code in ((200, 404, 429) if forget else (200, 201, 429)), answer.text
        if not forget:
            truth.standing[record_id].remove((text, began, began + 120))
        if answer.status_code == 429:  # a busy machine: nothing has happened
            time.sleep(chance.random())
        elif answer.status_code != 404:
            truth.replace(record_id, None if forget else text, began, ended)


def look(
    client: Client, namespace: str, end: float, seen: list[tuple[dict[str, Any], float, float]]
) -> None:
    """Search, and keep every hit with the time of its request."""
    chance = random.Random(id(seen))
    while time.monotonic() < end:
        began = time.monotonic()
        answer = client.search(namespace, f"{chance.choice(WORDS)} by the river", limit=20)
        ended = time.monotonic()
        assert answer.status_code == 200, answer.text
        seen += [(hit, began, ended) for hit in answer.json()["hits"]]


def test_no_hit_ever_shows_text_that_was_not_true_during_its_request(
    client: Client, local_stack: LocalStack
) -> None:
    namespace = client.fresh("truth")
    truth = Truth()
    seen: list[list[tuple[dict[str, Any], float, float]]] = [[] for _ in range(SEARCHERS)]
    end = time.monotonic() + SECONDS
    owned = [[f"r{n}" for n in range(c, RECORDS, CLIENTS)] for c in range(CLIENTS)]
    run(
        [
            *(
                threading.Thread(target=change, args=(client, namespace, ids, end, truth))
                for ids in owned
            ),
            *(
                threading.Thread(target=look, args=(client, namespace, end, found))
                for found in seen
            ),
        ]
    )
    hits = list(itertools.chain.from_iterable(seen))
    wrong = [
        (hit["id"], hit["text"])
        for hit, began, ended in hits
        if not truth.says(hit["id"], hit["text"], began, ended)
    ]
    assert wrong == []
    assert len(hits) > 100
    client.wait(namespace, patience_s=120)
    assert entries_of(local_stack, namespace) == records_of(local_stack, namespace)
