"""A question that shares few words with what answers it, and a model that knows others."""

import json
from typing import Any

from palimpsest.adapters.simulated import SimulatedLanguageModel
from search_scene import Scene

TEXTS = {
    "note": "the espresso machine is repaired by Ada",
    "memo": "call the coffee technician on Mondays",
    "list": "machine oil, tea, biscuits",
    "walk": "a heron stood by the river",
    "poem": "the tide takes the sand",
}
QUESTION = "who fixes the espresso machine?"
VARIATIONS = ["coffee technician", "espresso machine repaired"]


def model(*variations: str, **options: Any) -> SimulatedLanguageModel:
    """A model that always says these, or the two variations above."""
    said = list(variations) or VARIATIONS
    return SimulatedLanguageModel({}, otherwise=json.dumps({"variations": said}), **options)


def scene(**parts: Any) -> Scene:
    """The texts above, and a model that says the variations."""
    return Scene(TEXTS, **{"model": model(), **parts})
