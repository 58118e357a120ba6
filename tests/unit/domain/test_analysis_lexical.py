"""Lexical relevance: fields, weights, and BM25 against figures worked out by hand."""

import importlib.util
import math
import sys

import pytest

from palimpsest.domain import stemming
from palimpsest.domain.lexical import (
    FieldWeights,
    common_terms,
    field_counts,
    field_terms,
    idf,
    saturated,
)
from palimpsest.domain.records import Content


def test_a_record_has_names_heads_and_a_body() -> None:
    content = Content(
        text="The body", title="Title", subject="Ann", predicate="works_at", aliases=("Annie",),
        entities=("Acme",), tags=("job",), location="Rome", kind="fact",
    )  # fmt: skip
    names, heads, body = field_terms(content)
    assert names == ["ann", "acm", "anni"]
    assert heads == ["titl", "job", "works_at", "work", "rome"]
    assert body == ["bodi"]


def test_counts_are_kept_by_field() -> None:
    content = Content(text="lamp lamp kiln", subject="lamp", tags=("kiln",))
    assert field_counts(content) == {"lamp": (1, 0, 2), "kiln": (0, 1, 1)}
    assert FieldWeights(names=2, heads=1.5, body=1).of((1, 2, 3)) == 8


def test_idf_and_saturation_are_those_of_lucene() -> None:
    assert idf(10, 1) == pytest.approx(math.log(1 + 9.5 / 1.5))
    assert idf(10, 10) > 0
    assert saturated(1, length=10, average=10) == pytest.approx(1 / 2.2)
    assert saturated(3, length=20, average=10) == pytest.approx(3 / (3 + 1.2 * 1.75))


def test_common_words_are_many_in_number_and_in_share() -> None:
    holding = {"everywhere": 500, "often": 150, "rare": 3, "nowhere": 0}
    assert common_terms(holding, 1_000, share=0.2) == {"everywhere"}
    assert common_terms(holding, 1_000, share=0.01) == {"everywhere", "often"}
    assert common_terms({"everywhere": 500, "nowhere": 0}, 1_000, share=0.2) == set()
    assert common_terms({"a": 90, "b": 1}, 100, share=0.2) == set()


def test_a_missing_stemmer_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, stemming._ALIAS, raising=False)
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(ModuleNotFoundError, match="snowballstemmer"):
        stemming._package()
