"""`tokenizer.json` of the models, in the format of the `tokenizers` library."""

import json
import unicodedata
from pathlib import Path
from typing import Any

from models.packed_e5 import PackedModel

UNREACHABLE = "\x01"  # dropped from every text, so that no text can spell a control token


def unigram(model: PackedModel) -> str:
    """The tokenizer of XLM-RoBERTa, which multilingual e5 uses, from pieces and scores.

    Normalisation is NFKC after what the package's map does beyond it: control characters go, other
    whitespace, zero-width characters and U+FFFD become spaces. (The package maps single code
    points; NFKC of the whole text, as SentencePiece's `nmt_nfkc` rules do, also composes accents.)
    """
    beyond = {
        source: target
        for source, target in model.normalised.items()
        if unicodedata.normalize("NFKC", source) != target
    }
    return json.dumps(
        {
            "version": "1.0",
            "truncation": None,
            "padding": None,
            "added_tokens": [],
            "normalizer": {
                "type": "Sequence",
                "normalizers": [
                    *(_replace(beyond, target) for target in sorted(set(beyond.values()))),
                    {"type": "NFKC"},
                ],
            },
            "pre_tokenizer": {
                "type": "Sequence",
                "pretokenizers": [
                    {"type": "WhitespaceSplit"},
                    {
                        "type": "Metaspace",
                        "replacement": "▁",
                        "prepend_scheme": "always",
                        "split": True,
                    },
                ],
            },
            "post_processor": _template({"<s>": 0, "</s>": 2}),
            "decoder": {
                "type": "Metaspace",
                "replacement": "▁",
                "prepend_scheme": "always",
                "split": True,
            },
            "model": {
                "type": "Unigram",
                "unk_id": model.unknown,
                "vocab": _vocabulary(model),
                "byte_fallback": False,
            },
        },
        ensure_ascii=False,
        separators=(",", ":"),
    )


def word_piece(source: Path) -> str:
    """BERT's own tokenizer file without its fixed length, and without tokens that a text could
    spell.
    """
    tokenizer = json.loads(source.read_text(encoding="utf-8"))
    return json.dumps(
        tokenizer | {"truncation": None, "padding": None, "added_tokens": []},
        ensure_ascii=False,
        separators=(",", ":"),
    )


def _replace(beyond: dict[str, str], target: str) -> dict[str, Any]:
    characters = "".join(
        f"\\x{{{ord(source):x}}}" for source in sorted(beyond) if beyond[source] == target
    )
    return {"type": "Replace", "pattern": {"Regex": f"[{characters}]"}, "content": target}


def _vocabulary(model: PackedModel) -> list[tuple[str, float]]:
    controls = {"<s>", "<pad>", "</s>", "<unk>", "<mask>"}
    return [
        (UNREACHABLE + piece if piece in controls else piece, score)
        for piece, score in model.pieces
    ]


def _template(tokens: dict[str, int]) -> dict[str, Any]:
    first, last = tokens
    around = [
        {"SpecialToken": {"id": first, "type_id": 0}},
        {"Sequence": {"id": "A", "type_id": 0}},
        {"SpecialToken": {"id": last, "type_id": 0}},
    ]
    return {
        "type": "TemplateProcessing",
        "single": around,
        "pair": [*around, {"Sequence": {"id": "B", "type_id": 0}}],
        "special_tokens": {
            name: {"id": name, "ids": [number], "tokens": [name]} for name, number in tokens.items()
        },
    }
