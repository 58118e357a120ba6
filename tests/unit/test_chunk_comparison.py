"""The measures of the comparison of chunks, and the documents that it makes."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from evaluation.chunk_comparison import READ, Located, hits, measures, reach
from evaluation.judged_documents import JudgedDocuments, Stretch, articles, volumes

TEXT = Stretch(0, 100, 200)


def located(start: int, end: int, *, document: int = 0, tokens: int = 100) -> Located:
    return Located(Stretch(document, start, end), tokens)


@pytest.mark.parametrize(
    ("chunk", "expected"),
    [
        (Stretch(0, 100, 200), True),
        (Stretch(0, 0, 150), True),
        (Stretch(0, 0, 149), False),
        (Stretch(0, 120, 130), True),
        (Stretch(0, 195, 205), True),
        (Stretch(0, 196, 206), False),
        (Stretch(1, 100, 200), False),
    ],
)
def test_a_chunk_hits_a_text_of_which_it_has_half_or_in_which_half_of_it_is(
    chunk: Stretch, *, expected: bool
) -> None:
    assert hits(chunk, TEXT) is expected


def test_the_first_chunk_that_hits_counts() -> None:
    ranking = [located(300, 400), located(90, 180), located(100, 200)]
    told = measures(ranking, [TEXT])
    assert (told["top1"], told["top5"], told["mrr@10"]) == (0.0, 1.0, 0.5)
    assert told["ndcg@10"] == pytest.approx(0.6309, abs=1e-4)
    assert measures([located(300, 400)], [TEXT])["mrr@10"] == 0.0


def test_of_several_texts_each_gains_once() -> None:
    told = measures([located(100, 300)], [TEXT, Stretch(0, 200, 300)])
    assert told["ndcg@10"] == 1.0


def test_the_reach_is_what_the_first_tokens_hold_of_the_text() -> None:
    assert reach([located(100, 150)], [TEXT]) == 0.5
    assert reach([located(100, 150), located(125, 200)], [TEXT]) == 1.0
    assert reach([located(300, 900, tokens=READ), located(100, 200)], [TEXT]) == 0.0
    assert reach([located(100, 200, tokens=2 * READ)], [TEXT]) == 0.5


def write(folder: Path, corpus: Sequence[Mapping[str, str]], judged: str) -> Path:
    folder.mkdir()
    lines = "".join(json.dumps(row) + "\n" for row in corpus)
    (folder / "corpus.jsonl").write_text(lines)
    (folder / "queries.jsonl").write_text(json.dumps({"_id": "q", "text": "which one?"}) + "\n")
    (folder / "qrels.tsv").write_text(f"q\t{judged}\t1\n")
    return folder


def text_at(found: JudgedDocuments, name: str) -> str:
    document, start, end = found.stretches[name]
    return "".join(block.text for block in found.documents[document])[start:end]


def test_articles_are_put_together_again(tmp_path: Path) -> None:
    corpus = [{"_id": f"p{n}", "text": f"Warsaw has paragraph {n}. "} for n in range(7)]
    folder = write(tmp_path / "xquad", corpus, "p6")
    plain, titled = articles(folder, titled=False), articles(folder, titled=True)
    assert [len(blocks) for blocks in plain.documents] == [5, 2]
    assert [len(blocks) for blocks in titled.documents] == [6, 3]
    assert titled.documents[1][0].text == "Warsaw\n\n"
    assert text_at(plain, "p6") == text_at(titled, "p6") == "Warsaw has paragraph 6. \n\n"


def test_an_abstract_stands_below_its_title(tmp_path: Path) -> None:
    corpus = [
        {"_id": str(n), "title": f"title {n}", "text": f"title {n} . the text"} for n in range(3)
    ]
    found = volumes(write(tmp_path / "cranfield", corpus, "2"))
    assert text_at(found, "2") == "title 2\n\nthe text\n\n"
    assert [block.level for block in found.documents[0]] == [1, 2, 0, 2, 0, 2, 0]
