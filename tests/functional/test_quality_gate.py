"""Retrieval by the model that is shipped stays as good as it was: the small set of our own."""

import json
from pathlib import Path
from typing import Any

import pytest

from built_model import model_folder
from evaluation import gate
from evaluation.corpus import load
from palimpsest.adapters.onnx import OnnxEmbedder

SMALL = Path(gate.__file__).with_name("small")
ANOTHER_PROCESSOR = 0.03
"""Int8 kernels differ: one question in forty-two may change its place."""


@pytest.mark.model
def test_the_default_is_as_good_as_committed_and_better_than_words_alone() -> None:
    embedder = OnnxEmbedder(model_folder())
    loaded = load(SMALL, embedder)
    with gate.indexes(embedder, None) as both:
        found = gate.evaluated(loaded, both[gate.EMBEDDED], embedder.fingerprint)
    scores = {name: told["ndcg@10"] for name, told in found["methods"].items()}
    committed = json.loads(gate.COMMITTED.read_text())[loaded.name][gate.EMBEDDED]
    assert scores["weighted"] >= committed - ANOTHER_PROCESSOR
    assert scores["weighted"] > scores["lexical"]


def figures(weighted: float, *, other: float | None = None) -> dict[str, Any]:
    """Of one set: the same score by every method on an engine."""

    def told(score: float) -> dict[str, Any]:
        return {"methods": {m: {"ndcg@10": score} for m in ("lexical", "semantic", "weighted")}}

    engines = {gate.EMBEDDED: told(weighted)}
    return {"set": engines if other is None else {**engines, gate.OPENSEARCH: told(other)}}


@pytest.mark.parametrize(
    ("found", "sentences"),
    [
        (figures(0.49), 0),
        (figures(0.4899), 1),
        (figures(0.6, other=0.6), 0),
        (figures(0.6, other=0.5899), 3),  # every method
    ],
)
def test_the_gate_closes_on_a_loss_and_on_engines_that_differ(
    found: dict[str, Any], sentences: int
) -> None:
    assert len(gate.losses(found, {"set": {gate.EMBEDDED: 0.5}})) == sentences
