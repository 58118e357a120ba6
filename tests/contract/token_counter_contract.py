"""What every counter of tokens does. A test class inherits it and gives it a `counter`."""

from palimpsest.ports.extracting import TokenCounter

TEXTS = [
    "The kiln reaches cone six in nine hours.",
    "Der Ofen wird über Nacht gebrannt.",
    "Печь обжигают ночью.",
    "会议改到星期四。",
    "窯は一晩で焼き上がります。",
    "เตาเผาใช้เวลาทั้งคืน",
    "가마는 밤새 굽는다.",
    "def fuse(legs): return sorted(legs)",
    '{"cone": 6, "hours": 9.5}',
    "👩‍👩‍👧‍👦 🇩🇪 👍🏽",
]


class TokenCounterContract:
    def test_there_is_a_count_for_each_text_in_its_place(self, counter: TokenCounter) -> None:
        together = list(counter.count(TEXTS))
        assert together == [next(iter(counter.count([text]))) for text in TEXTS]
        assert list(counter.count(TEXTS[::-1])) == together[::-1]
        assert all(count > 0 for count in together)

    def test_no_texts_have_no_counts(self, counter: TokenCounter) -> None:
        assert list(counter.count([])) == []

    def test_nothing_has_no_tokens(self, counter: TokenCounter) -> None:
        assert next(iter(counter.count(["", "kiln"]))) == 0

    def test_a_longer_text_has_more_tokens_and_none_is_cut(self, counter: TokenCounter) -> None:
        once, often = counter.count(["mortar and stone ", "mortar and stone " * 2_000])
        assert 1_500 * once <= often <= 2_000 * once

    def test_many_texts_are_counted(self, counter: TokenCounter) -> None:
        texts = [f"the {number}th kiln " * 20 for number in range(3_000)]
        counts = list(counter.count(texts))
        assert len(counts) == 3_000
        assert counts[2_999] == next(iter(counter.count(texts[2_999:])))

    def test_broken_characters_do_not_stop_the_others(self, counter: TokenCounter) -> None:
        broken, whole = counter.count(["kiln \ud800\0 kiln", "kiln kiln"])
        assert broken >= whole > 0
