"""The blend gives the numbers of its source."""

import math

import pytest

from palimpsest.domain.blending import blended

Ranking = list[tuple[str, float]]
GOLDEN: list[tuple[str, list[Ranking], Ranking]] = [
    (
        "two rankings that share a hit",
        [[("A", 0.9), ("B", 0.8)], [("B", 0.85), ("C", 0.7)]],
        [("B", 0.895), ("A", 0.781239669), ("C", 0.638760331)],
    ),
    ("nothing at all", [[], []], []),
    (
        "an empty second ranking",
        [[("A", 0.9), ("B", 0.2), ("C", 0.0)], []],
        [("A", 0.93), ("B", 0.435081967), ("C", 0.290322581)],
    ),
    (
        "equal scores",
        [[("A", 0.5), ("B", 0.5)], [("C", 0.5), ("A", 0.5)]],
        [("A", 0.65), ("C", 0.501239669), ("B", 0.498760331)],
    ),
]
"""Inputs and results of the source's own merge, before its floor."""


@pytest.mark.parametrize(
    ("lists", "expected"), [case[1:] for case in GOLDEN], ids=[case[0] for case in GOLDEN]
)
def test_the_merge_gives_the_numbers_of_its_source(lists: list[Ranking], expected: Ranking) -> None:
    sums = {key: math.fsum(by.values()) for key, by in blended(dict(enumerate(lists))).items()}
    ordered = sorted(sums.items(), key=lambda pair: -pair[1])
    assert [key for key, _ in ordered] == [key for key, _ in expected]
    for (_, score), (_, told) in zip(ordered, expected, strict=True):
        assert score == pytest.approx(told, abs=5e-10)


def test_a_key_twice_in_a_ranking_counts_once_at_its_better_rank() -> None:
    once = blended({"x": [("A", 0.5), ("B", 0.4)]})
    assert blended({"x": [("A", 0.5), ("B", 0.4), ("A", 0.9)]}) == once


def test_the_best_original_score_is_told_of_the_ranking_that_has_it() -> None:
    found = blended({"x": [("A", 0.5)], "y": [("A", 0.5)], "z": [("A", 1.0)]})["A"]
    assert found == pytest.approx({"x": 0.1, "y": 0.1, "z": 0.8})
    assert blended({"x": [("A", 0.5)], "y": [("A", 0.5)]})["A"] == pytest.approx(
        {"x": 0.5, "y": 0.15}
    )
