"""The OpenAI embeddings API as data, and the counting of tokens that other servers of that shape
add to it: what a request may say, what an answer says.
"""

import base64
import json
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from local.embedding_backend import Backend, Purpose, Served
from palimpsest.domain.embedding import is_blank

MOST_INPUTS = 2048  # as the API this one is compatible with
MOST_BYTES = 8 * 1024 * 1024
FORMATS = ("float", "base64")


@dataclass(frozen=True)
class Refusal(Exception):  # an answer, not a defect
    """An error object and its status."""

    status: int
    message: str
    param: str | None = None
    code: str | None = None
    retry_after: float | None = None

    def body(self) -> dict[str, Any]:
        """The error in the shape that clients of the API expect."""
        kind = "invalid_request_error" if self.status < 500 else "server_error"  # noqa: PLR2004
        if self.status == 429:  # noqa: PLR2004  # Too Many Requests
            kind = "rate_limit_error"
        fields = {"message": self.message, "type": kind, "param": self.param, "code": self.code}
        return {"error": fields}


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A valid request."""

    texts: list[str]
    purpose: Purpose
    as_base64: bool

    def is_urgent(self, passage_prefix: str) -> bool:
        """Whether someone waits for the answer: a question, or one text that may be one."""
        if self.purpose is not Purpose.RAW:
            return self.purpose is Purpose.QUERY
        told = passage_prefix != "" and self.texts[0].startswith(passage_prefix)
        return len(self.texts) == 1 and not told


def read(body: bytes, backend: Backend) -> Wanted:
    """The request in `body`. Raises `Refusal`."""
    fields = _fields(body)
    _check_model(fields, backend)
    _check_choice(fields, "encoding_format", FORMATS)
    _check_choice(fields, "input_type", (Purpose.QUERY, Purpose.PASSAGE))
    texts = _texts(fields, "input")
    for number, text in enumerate(texts):
        if is_blank(text):
            message = f"input[{number}] is blank"
            raise Refusal(400, message, param="input", code="blank_input")
    return Wanted(
        texts=texts,
        purpose=Purpose(fields.get("input_type") or Purpose.RAW),
        as_base64=fields.get("encoding_format") == "base64",
    )


def read_to_count(body: bytes, backend: Backend) -> list[str]:
    """The texts whose tokens are asked for: `prompt`, as `/v1/tokenize` of SGLang takes it. Special
    tokens are not counted, so that `add_special_tokens` should be false. Raises `Refusal`.
    """
    fields = _fields(body)
    _check_model(fields, backend)
    if fields.get("add_special_tokens") is not False:
        message = "add_special_tokens should be false: they are not counted here"
        raise Refusal(400, message, param="add_special_tokens", code="unsupported_value")
    return _texts(fields, "prompt")


def _fields(body: bytes) -> dict[str, Any]:
    try:
        fields = json.loads(body)
    except ValueError as error:
        raise Refusal(400, f"the body is not JSON: {error}", code="invalid_json") from error
    if not isinstance(fields, dict):
        raise Refusal(400, "the body should be a JSON object", code="invalid_json")
    return fields


def _check_model(fields: Mapping[str, Any], backend: Backend) -> None:
    model = fields.get("model")
    if not isinstance(model, str):
        raise Refusal(400, "model should be a string", param="model", code="invalid_type")
    if model != backend.name:
        message = f"the model {model!r} is not here; this server has {backend.name!r}"
        raise Refusal(404, message, param="model", code="model_not_found")
    dimensions = fields.get("dimensions")
    if dimensions is not None and dimensions != backend.dimension:
        message = f"this model has {backend.dimension} dimensions and no others"
        raise Refusal(400, message, param="dimensions", code="unsupported_value")


def _check_choice(fields: Mapping[str, Any], name: str, choices: Sequence[str]) -> None:
    if fields.get(name) is not None and fields[name] not in choices:
        message = f"{name} should be one of: {', '.join(choices)}"
        raise Refusal(400, message, param=name, code="invalid_value")


def _texts(fields: Mapping[str, Any], name: str) -> list[str]:
    given = fields.get(name)
    texts = [given] if isinstance(given, str) else given
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        message = f"{name} should be a string or a list of strings (tokens are not taken)"
        raise Refusal(400, message, param=name, code="invalid_type")
    if not 1 <= len(texts) <= MOST_INPUTS:
        message = f"{name} should hold 1 to {MOST_INPUTS} texts, not {len(texts)}"
        raise Refusal(400, message, param=name, code="invalid_length")
    for number, text in enumerate(texts):
        if not _is_unicode(text):
            message = f"{name}[{number}] holds half of a surrogate pair"
            raise Refusal(400, message, param=name, code="invalid_unicode")
    return texts


def _is_unicode(text: str) -> bool:
    return not any("\ud800" <= char <= "\udfff" for char in text)


def answer(wanted: Wanted, served: Sequence[Served], *, model: str) -> dict[str, Any]:
    """The list of embeddings. `truncated` in each is this server's own addition."""
    tokens = sum(one.tokens for one in served)
    return {
        "object": "list",
        "model": model,
        "data": [
            {
                "object": "embedding",
                "index": index,
                "embedding": _packed(one.vector) if wanted.as_base64 else one.vector,
                "truncated": one.truncated,
            }
            for index, one in enumerate(served)
        ],
        "usage": {"prompt_tokens": tokens, "total_tokens": tokens},
    }


def _packed(vector: Sequence[float]) -> str:
    """Little-endian float32 in base64."""
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()


def counts(tokens: Sequence[int], *, max_tokens: int) -> dict[str, Any]:
    """How many tokens each text has, and the model takes. The tokens themselves are not told."""
    return {"count": list(tokens), "max_model_len": max_tokens}


def models(backend: Backend) -> dict[str, Any]:
    """The list of models: the one there is. `fingerprint` and `dimension` are additions."""
    return {
        "object": "list",
        "data": [
            {
                "id": backend.name,
                "object": "model",
                "created": 0,
                "owned_by": "palimpsest",
                "fingerprint": backend.fingerprint,
                "dimension": backend.dimension,
            }
        ],
    }
