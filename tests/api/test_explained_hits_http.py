"""One answer tells why each hit is where it is."""

import math
from typing import Any

import pytest

from api.conftest import Http

TEXTS = {
    "nest": "The heron nests by the old weir.",
    "walk": "A walk along the river, past the weir.",
    "otter": "An otter swims below the old bridge.",
}


@pytest.fixture
def bank(modelled: Http) -> Http:
    for record_id, text in TEXTS.items():
        assert modelled.put(record_id, {"text": text}).status == 201
    modelled.project()
    return modelled


@pytest.mark.parametrize("method", ["weighted", "rrf", "blend"])
def test_the_contributions_of_every_way_of_asking_add_up_to_the_score(
    bank: Http, method: str
) -> None:
    options: dict[str, Any] = {"fusion": {"method": method}, "rerank": False, "explain": True}
    answer = bank.search("where does the heron nest", deep=True, **options).body
    assert answer["deep"]["used"]
    assert len(answer["deep"]["variations"]) == 3
    for hit in answer["hits"]:
        told = hit["explain"]
        assert math.isclose(sum(way["contribution"] for way in told["ways"]), hit["score"])
        assert {way["variation"] for way in told["ways"]} <= {0, 1, 2}
        for leg, part in told["legs"].items():
            own = [way for way in told["ways"] if way["leg"] == leg]
            assert part["rank"] == min(way["rank"] for way in own)
            assert math.isclose(part["contribution"], sum(way["contribution"] for way in own))


def test_asked_in_one_way_there_are_no_ways_to_tell_of(bank: Http) -> None:
    answer = bank.search("heron", deep=False, explain=True).body
    assert all("ways" not in hit["explain"] for hit in answer["hits"])


def test_a_reranked_hit_tells_its_fused_score_too(bank: Http) -> None:
    answer = bank.search("old weir", deep=False, explain=True).body
    assert answer["score_kind"].startswith("rerank:")
    for hit in answer["hits"]:
        told = hit["explain"]
        assert told["rerank"] == hit["score"]
        parts = told["legs"].values()
        assert math.isclose(sum(part["contribution"] for part in parts), told["fused"])
