"""Every deliberate fault still has its place in the code, and the plainest are found at once; all
of them are tried by `python -m simulation.mutations`.
"""

import shutil
from pathlib import Path

import pytest

from simulation.mutation import Mutation
from simulation.mutation_list import MUTATIONS
from simulation.mutations import FUNCTIONS, caught, mutated

PLAINEST = {
    "history not kept": "history",
    "floor not set": "purges",
    "no version guard": "an older pass undoes a newer",
}


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name)
def test_the_place_of_a_deliberate_fault_is_found_once(mutation: Mutation, tmp_path: Path) -> None:
    place = tmp_path / mutation.file
    place.parent.mkdir(parents=True)
    shutil.copy(FUNCTIONS / mutation.file, place)
    before = place.read_text()
    mutated(mutation, tmp_path)
    assert place.read_text() != before


def test_there_are_enough_of_them_and_each_has_its_name() -> None:
    assert len({mutation.name for mutation in MUTATIONS}) == len(MUTATIONS) >= 20


@pytest.mark.parametrize("name", PLAINEST)
def test_a_plain_fault_is_found_within_few_seeds(name: str) -> None:
    (mutation,) = (one for one in MUTATIONS if one.name == name)
    assert caught(mutation, seeds=150).invariant == PLAINEST[name]
