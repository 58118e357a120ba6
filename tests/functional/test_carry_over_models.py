"""The index is carried over from one real model to another on a real node, under load."""

import threading
import time
from dataclasses import dataclass, field
from typing import Self

import pytest

from built_model import model_folder
from functional.carry_over_world import CarryOverWorld
from palimpsest.adapters.onnx import OnnxEmbedder
from palimpsest.domain.entries import Leg, LegStatus
from palimpsest.domain.filters import Prefix

pytestmark = [
    pytest.mark.opensearch,
    pytest.mark.model,
    pytest.mark.usefixtures("one_call_at_a_time"),
]
SENTENCES = [
    "Mira cannot eat walnuts",
    "the boiler in the cellar was replaced in March",
    "our landlord wants the rent on the first of the month",
    "the night train to Vienna leaves from platform nine",
    "Jonas repairs bicycles on Saturdays",
    "the library closes early during the holidays",
    "grandmother's recipe asks for two spoons of cardamom",
    "the river flooded the lower meadow twice last year",
    "the dentist moved to the building beside the bank",
    "a heron nests near the old mill",
]
OURS = Prefix("id", "s")  # not what is written meanwhile
SEARCHED_S = 3.0

QUESTIONS = {
    "who has a nut allergy?": 0,
    "when was the heating renewed?": 1,
    "who mends bikes?": 4,
    "which bird lives by the mill?": 9,
}


@dataclass
class Load:
    """Others who search and write for as long as the block lasts, and what they saw."""

    world: CarryOverWorld
    troubles: list[object] = field(default_factory=list)
    statuses: set[str] = field(default_factory=set)

    def __enter__(self) -> Self:
        self._over = threading.Event()
        self._threads = [threading.Thread(target=work) for work in (self._ask, self._write)]
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join()

    def _ask(self) -> None:
        while not self._over.is_set():
            for question, right in QUESTIONS.items():
                answer = self.world.search(question, filter=OURS)
                self.statuses.add(answer.legs[Leg.SEMANTIC].status)
                first = [hit.record.id for hit in answer.hits[:3]]
                if answer.degraded or f"s{right}" not in first:
                    self.troubles.append((question, answer.degraded, first))

    def _write(self) -> None:
        written = 0
        while not self._over.is_set():
            self.world.put(f"w{written}", f"note {written} about nothing in particular")
            self.world.project_all()
            written += 1


def noticed(world: CarryOverWorld) -> None:
    """Searches go on for a while on the index that is read now, as after some seconds they do."""
    world.search_parts.index._known = None  # type: ignore[attr-defined]
    time.sleep(SEARCHED_S)


def test_from_minilm_to_e5_while_others_search_and_write(
    tables: dict[str, str], opensearch_url: str, index_prefix: str
) -> None:
    minilm = OnnxEmbedder(model_folder("all-minilm-l6-v2"))
    e5 = OnnxEmbedder(model_folder())
    world = CarryOverWorld(
        tables["RecordsTable"], url=opensearch_url, prefix=index_prefix,
        embedder=minilm, following=e5,
    )  # fmt: skip
    world.put_many({f"s{n}": text for n, text in enumerate(SENTENCES)})
    world.project_all()
    with Load(world) as load:
        world.carry_over.begin()
        world.carry_over.backfill(until=1e9)
        assert world.carry_over.switch().fingerprint == e5.fingerprint
        noticed(world)
        assert world.index.reading().fingerprint == e5.fingerprint
        assert world.carry_over.roll_back().fingerprint == minilm.fingerprint
        noticed(world)
        assert world.index.reading().fingerprint == minilm.fingerprint
    assert load.troubles == []
    assert load.statuses == {LegStatus.OK}
    assert all(proof.equal for _, proof in world.carry_over.prove())
