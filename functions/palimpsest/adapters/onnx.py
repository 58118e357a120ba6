"""Embedder, and counter of tokens, over a model folder that `infra/models/build.py` wrote, in this
process.
"""

import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

from palimpsest.domain.clean import without_broken
from palimpsest.domain.embedding import STAGE, Embedded, is_blank
from palimpsest.domain.errors import DeadlineExceeded, EmbeddingRejected, ProviderError
from palimpsest.domain.vectors import Vector, unit

CHARACTERS_A_TOKEN = 64
"""More characters than the limit times this are not even split into tokens: pieces are far shorter.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCard:
    """`model.json`: how the model wants to be used."""

    name: str
    dimension: int
    max_tokens: int
    fingerprint: str
    query_prefix: str
    passage_prefix: str

    @classmethod
    def read(cls, folder: Path) -> "ModelCard":
        """The card in a folder. Raises `FileNotFoundError`, saying how to build the model."""
        path = folder / "model.json"
        if not path.is_file():
            raise FileNotFoundError(
                f"no embedding model in {folder}: build it with "
                f"`python infra/models/build.py {folder.name}`"
            )
        fields = json.loads(path.read_text(encoding="utf-8"))
        return cls(**{name: fields[name] for name in cls.__dataclass_fields__})


@dataclass(frozen=True, slots=True)
class Encoded:
    """What the model made of one text: how many tokens it saw, and whether those were all."""

    vector: list[float]
    tokens: int
    truncated: bool


class OnnxEmbedder:
    """One model in one onnxruntime session, for many threads.

    Texts go through the model one at a time: activations are quantised by the largest value in a
    call, so a text's vector would depend on what else is in its batch; padding costs more than a
    batch saves. Passages are taken in order of length, so that the memory pool grows seldom.
    """

    def __init__(
        self,
        folder: Path,
        *,
        threads: int = 1,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self.card = ModelCard.read(folder)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self._session = onnxruntime.InferenceSession(
            str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"]
        )
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.enable_truncation(self.card.max_tokens)
        self._monotonic = monotonic

    @property
    def fingerprint(self) -> str:
        """Name, hash of the built files and width."""
        return self.card.fingerprint

    @property
    def dimension(self) -> int:
        """The width of every vector."""
        return self.card.dimension

    def embed_query(self, text: str, *, timeout: float) -> Vector:
        """The unit vector of a question; `timeout` cannot break off a run that has begun."""
        if timeout <= 0:
            raise DeadlineExceeded("no time to embed", stage=STAGE)
        if is_blank(text):
            raise EmbeddingRejected("blank")
        return unit(
            self.encode(text, prefix=self.card.query_prefix).vector, dimension=self.dimension
        )

    def embed_passages(
        self, texts: Sequence[str], *, timeout: float
    ) -> list[Embedded | EmbeddingRejected]:
        """One result a text, in order. Raises `DeadlineExceeded` between two texts."""
        deadline = self._monotonic() + timeout
        results: list[Embedded | EmbeddingRejected] = [EmbeddingRejected("blank")] * len(texts)
        for place in sorted(range(len(texts)), key=lambda place: -len(texts[place])):
            if is_blank(texts[place]):
                continue
            if self._monotonic() >= deadline:
                raise DeadlineExceeded("embedding took too long", stage=STAGE)
            results[place] = self._passage(texts[place])
        return results

    def _passage(self, text: str) -> Embedded | EmbeddingRejected:
        encoded = self.encode(text, prefix=self.card.passage_prefix)
        try:
            return Embedded(unit(encoded.vector, dimension=self.dimension), encoded.truncated)
        except EmbeddingRejected as rejected:
            return rejected

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, however long, without prefix and special tokens."""
        with _translated():
            encoded = self._tokenizer.encode_batch_fast(
                [without_broken(text) for text in texts], add_special_tokens=False
            )
        return [sum(map(len, (one, *one.overflowing))) for one in encoded]

    def encode(self, text: str, *, prefix: str) -> Encoded:
        """Run the model on `prefix` and text, cut after the last token that fits."""
        most = self.card.max_tokens * CHARACTERS_A_TOKEN
        begin = without_broken(text[:most])
        with _translated():
            tokens = self._tokenizer.encode(prefix + begin)
            ids = np.array([tokens.ids], dtype=np.int64)
            feed = {"input_ids": ids, "attention_mask": np.ones(ids.shape, dtype=np.int32)}
            (found,) = self._session.run(["embedding"], feed)
        truncated = len(text) > most or bool(tokens.overflowing)
        return Encoded(found[0].tolist(), ids.size, truncated)


class OnnxTokenCounter:
    """Counts tokens with the tokenizer of an embedder in this process."""

    def __init__(self, embedder: OnnxEmbedder) -> None:
        self._embedder = embedder

    def count(self, texts: Sequence[str]) -> list[int]:
        """Tokens of each text by itself."""
        return self._embedder.count_tokens(texts)


@contextmanager
def _translated() -> Iterator[None]:
    """Both libraries raise bare subclasses of `RuntimeError` and `Exception`."""
    try:
        yield
    except Exception as error:
        raise ProviderError(f"the model could not run: {error}", stage=STAGE) from error
