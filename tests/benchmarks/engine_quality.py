"""How good the answers are that the OpenSearch benchmark times: nDCG@10 of every contender on an
evaluation set, with the vectors of the real model.

Raw has no fusion, so its two legs are told one by one. All contenders have the same vector of a
record and of a question, and the same words. Vectors are kept in `build/vectors`, by the model's
fingerprint and the texts.
"""

import hashlib
import os
import statistics
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np

from benchmarks.engine_bench import Contest
from benchmarks.engine_corpus import DECIMALS, Asked, Corpus, Matrix
from evaluation.measures import ndcg
from evaluation.sets import EvaluationSet, read
from palimpsest.adapters.onnx import OnnxEmbedder
from palimpsest.domain.embedding import Embedded
from palimpsest.domain.records import Content

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / "build" / "vectors"
MODEL = ROOT / ".cache" / "models" / "multilingual-e5-small"
SET = "cranfield"
EMBEDDING_SECONDS = 3_600.0
DEPTH = 10

Ranking = Callable[[Asked], Sequence[str]]
Say = Callable[[str], None]


def folder() -> Path:
    """Where the set is, if it is anywhere: in `EVAL_SETS`, or in a folder beside the repository."""
    return Path(os.environ.get("EVAL_SETS") or ROOT.parent / "shared" / "eval") / SET


def missing() -> str | None:
    """One line on what this machine lacks for it; None if it has all."""
    if not folder().is_dir():
        return f"EVAL_SETS has no {SET}"
    if not (MODEL / "model.json").is_file():
        return "the embedding model is not built"
    return None


def measure(url: str, *, peers: bool, say: Say) -> dict[str, float]:
    """The mean over all judged questions by contender."""
    found = read(folder())
    contest = Contest(url, corpus_of(found, say=say), peers=peers)
    contest.fill()
    relevant = {
        asked.text: question.relevant
        for asked, question in zip(contest.corpus.questions, found.questions, strict=True)
    }
    return {
        name: round(
            statistics.fmean(
                ndcg(ranking(asked), relevant[asked.text], depth=DEPTH)
                for asked in contest.corpus.questions
            ),
            4,
        )
        for name, ranking in rankings(contest).items()
    }


def rankings(contest: Contest) -> dict[str, Ranking]:
    """What gives the ids of an answer, best first, by contender."""

    def leg(place: int) -> Ranking:
        def ranking(asked: Asked) -> list[str]:
            hits = contest.raw.asking(asked)()["responses"][place]["hits"]["hits"]
            return [hit["sort"][1] for hit in hits]  # score, id, partition

        return ranking

    told: dict[str, Ranking] = {
        "ours": lambda asked: [hit.record.id for hit in contest.ours.search(asked).hits],
        "raw, lexical leg": leg(0),
        "raw, semantic leg": leg(1),
    }
    for peer in contest.peers:
        told |= {f"{peer.name}, {depth} a leg": peer.asking(depth) for depth in contest.depths}
    return told


def corpus_of(found: EvaluationSet, *, say: Say) -> Corpus:
    """The set with its vectors: those of the texts that a projection would embed."""
    embedder = OnnxEmbedder(MODEL, threads=os.cpu_count() or 1)
    contents = [Content(**fields) for _, fields in found.records]

    def passages(texts: Sequence[str]) -> Iterable[Sequence[float]]:
        say(f"embedding {len(texts)} records of {SET}, once")
        made = embedder.embed_passages(texts, timeout=EMBEDDING_SECONDS)
        return [one.vector for one in made if isinstance(one, Embedded)]

    def queries(texts: Sequence[str]) -> Iterable[Sequence[float]]:
        return [embedder.embed_query(text, timeout=EMBEDDING_SECONDS) for text in texts]

    asked = [question.text for question in found.questions]
    vectors = kept(passages, [one.embedded_text for one in contents], embedder.fingerprint)
    near = kept(queries, asked, embedder.fingerprint)
    return Corpus(
        name=found.name,
        fingerprint=embedder.fingerprint,
        ids=[record_id for record_id, _ in found.records],
        contents=contents,
        vectors=vectors,
        questions=[Asked(text, tuple(row)) for text, row in zip(asked, near.tolist(), strict=True)],
    )


def kept(
    embed: Callable[[Sequence[str]], Iterable[Sequence[float]]],
    texts: Sequence[str],
    fingerprint: str,
) -> Matrix:
    """The vectors of these texts, made at the first time."""
    said = hashlib.sha256("\0".join([embed.__name__, *texts]).encode()).hexdigest()[:16]
    path = KEPT / f"{fingerprint.replace(':', '-')}-{said}.npy"
    if not path.exists():
        KEPT.mkdir(parents=True, exist_ok=True)
        made = np.array(list(embed(texts)), dtype=np.float64).round(DECIMALS)
        if len(made) != len(texts):
            raise RuntimeError(f"{len(texts) - len(made)} texts have no vector")
        scratch = path.with_suffix(".new.npy")
        np.save(scratch, made)
        scratch.rename(path)
    found: Matrix = np.load(path)
    return found
