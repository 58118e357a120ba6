"""Text for the benchmarks: seeded sentences of an imagined roastery, no two alike."""

import random
from collections.abc import Sequence

PEOPLE = (
    "Mira", "Ivo", "Tomás", "Leila", "Anneke", "Joon", "Priya", "Oskar", "Fatou", "Nils", "Zofia",
    "Dario", "Hana", "Emeka", "Ruth", "Sven",
)  # fmt: skip
DEEDS = (
    "repaired", "ordered", "moved", "tested", "sold", "cleaned", "photographed", "returned",
    "measured", "labelled", "borrowed", "inspected", "priced", "packed", "described", "lent",
)  # fmt: skip
THINGS = (
    "espresso machine", "sample roaster", "sack of green beans", "delivery van", "grinder",
    "price list", "tasting table", "invoice", "cold store", "scale", "filter basket", "contract",
    "cupping report", "spare gasket", "water softener", "till",
)  # fmt: skip
PLACES = (
    "in the workshop", "at the harbour", "in the north shop", "at the spring fair", "upstairs",
    "in the warehouse", "at the customs office", "behind the bar", "at the mill", "on the farm",
)  # fmt: skip
TIMES = (
    "on Monday", "last autumn", "before the audit", "after the storm", "during the holidays",
    "early in March", "at the end of the quarter", "every second week", "this morning",
)  # fmt: skip
REASONS = (
    "because the supplier had changed the terms", "so that the new blend could be served in time",
    "although nobody had asked for it", "since the old one had begun to leak",
    "and wrote the details into the shared book", "which saved the team a long drive",
    "after two customers had complained about the taste", "to keep the insurance valid",
)  # fmt: skip
SYLLABLES = ("ka", "lo", "ren", "mi", "tu", "sa", "vel", "dor", "ni", "fa", "gus", "ter", "pol")


class Sentences:
    """Records of two or three sentences, some 40 words, and questions of 10 words. A name made of
    syllables is in each, so that there are rare words as well as common ones.
    """

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def record(self) -> str:
        return " ".join(self._statement() for _ in range(self.random.choice((2, 2, 3))))

    def records(self, count: int) -> list[str]:
        return [self.record() for _ in range(count)]

    def question(self) -> str:
        pick = self.random.choice
        return (
            f"Who {pick(DEEDS)} the {pick(THINGS)} of {self._name()} {pick(PLACES)} {pick(TIMES)}?"
        )

    def _statement(self) -> str:
        pick = self.random.choice
        return (
            f"{pick(PEOPLE)} {pick(DEEDS)} the {pick(THINGS)} of {self._name()} {pick(PLACES)} "
            f"{pick(TIMES)}, {pick(REASONS)}."
        )

    def _name(self) -> str:
        parts: Sequence[str] = [self.random.choice(SYLLABLES) for _ in range(3)]
        return "".join(parts).capitalize()


def twin(text: str) -> str:
    """The same words in another order: as much work for a model, and never held in its cache."""
    words = text.split()
    middle = len(words) // 2
    return " ".join(words[middle:] + words[:middle])
