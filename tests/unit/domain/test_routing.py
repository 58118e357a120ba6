"""The router finds its signals as whole words, in any case, script and form."""

import pytest

from palimpsest.domain.routing import signals


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("Who fixes the espresso machine?", ["interrogative:who"]),
        ("WHAT'S new", ["interrogative:what"]),
        ("what\u2019s new", ["interrogative:what"]),
        ("the door, before?how!", ["time:before", "interrogative:how"]),
        ("who, who and who", ["interrogative:who"]),
        ("meetings last week", ["time:last", "time:week"]),
        ("books similar to Dune", ["similarity:similar"]),
        ("notes about Lea", ["relation:about"]),
        ("an overview of her habits", ["abstraction:overview", "abstraction:habits"]),
        ("\uff37\uff28\uff2f paid", ["interrogative:who"]),  # full width
        ("quie\u0301n llama", ["interrogative:quién"]),  # decomposed
        ("Кто чинит кофемашину", ["interrogative:кто"]),
        ("متى نلتقي", ["interrogative:متى"]),
        ("谁修理咖啡机", ["interrogative:谁"]),
        ("コーヒーはどこですか", ["interrogative:どこ"]),
        ("관련 문서", ["relation:관련"]),
    ],
)
def test_a_word_that_asks_for_more_is_a_signal(query: str, found: list[str]) -> None:
    assert signals(query) == found


@pytest.mark.parametrize(
    "query",
    [
        "show the blast whole",  # how, last, who
        "beforehand",
        "wholesale likelihood",
        "espresso machine repair",
        "ZX-4471-Q",
        "it was there",  # German: what
        "no comment",  # French: how
        "🦩",
        "...",
    ],
)
def test_a_part_of_a_word_or_a_word_of_another_language_is_none(query: str) -> None:
    assert signals(query) == []
