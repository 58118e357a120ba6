"""Entries as documents of the index, and the lines of a bulk request."""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from hashlib import sha256
from typing import Any

import palimpsest.adapters.opensearch.tokens as value_tokens
from palimpsest.adapters.opensearch.index_body import FREQUENCY_SCALE
from palimpsest.domain.entries import Entry
from palimpsest.domain.instants import to_millis
from palimpsest.domain.lexical import FieldWeights, field_counts
from palimpsest.domain.records import Content
from palimpsest.domain.term_hashes import term_hash
from palimpsest.domain.vectors import Vector

LONGEST_ID = 512
"""Bytes; what OpenSearch allows."""

VECTOR_DIGITS = 7
"""Decimals of a unit vector's numbers as they are sent: finer than the float16 they are held in."""

_LARGEST_FREQUENCY = 2**20


@dataclass(frozen=True, slots=True)
class Prepared:
    """The lines of one entry (with their line ends), or why it cannot stand in the index."""

    entry: Entry
    lines: bytes = b""
    rejection: str | None = None


def document_id(partition: str, record_id: str) -> str:
    """The id of an entry's document: both names, or where they are too long a hash of them."""
    name = f"{partition}#{record_id}"
    size = len(name.encode(errors="surrogatepass"))
    return name if size <= LONGEST_ID else "~" + sha256(name.encode()).hexdigest()


def term_token(term: str) -> str:
    """A term as it stands in the index and in a question."""
    return f"{term_hash(term):016x}"


def prepared(entry: Entry, *, dimension: int, weights: FieldWeights, now: datetime) -> Prepared:
    """The lines that write `entry`. `now` is when a tombstone entry says it was written."""
    try:
        document, rejection = _document(entry, dimension=dimension, weights=weights, now=now)
        if rejection is not None:
            return Prepared(entry, rejection=rejection)
        return Prepared(entry, _lines(entry, document))
    except UnicodeEncodeError:
        return Prepared(entry, rejection="not_unicode")


def _lines(entry: Entry, document: dict[str, Any]) -> bytes:
    action = {
        "index": {
            "_id": document_id(entry.partition, entry.id),
            "version": entry.version,
            "version_type": "external_gte",
        }
    }
    told = as_json(document)
    if "vector" in document and entry.vector is not None:
        told = b"%b%b}" % (told.removesuffix(b"[]}"), vector_json(entry.vector))
    return b"%b\n%b\n" % (as_json(action), told)


def as_json(value: object) -> bytes:
    """JSON in UTF-8 without spaces."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def vector_json(vector: Vector) -> bytes:
    """A unit vector as a JSON list, in a fifth of the time that `json` takes."""
    return (_number_list(len(vector)) % tuple(vector)).encode()


@lru_cache(maxsize=8)
def _number_list(size: int) -> str:
    return "[" + ",".join([f"%.{VECTOR_DIGITS}f"] * size) + "]"


def _document(
    entry: Entry, *, dimension: int, weights: FieldWeights, now: datetime
) -> tuple[dict[str, Any], str | None]:
    document: dict[str, Any] = {
        "partition": entry.partition,
        "id": entry.id,
        "revision": entry.revision,
        "version": entry.version,
        "tombstone": entry.content is None,
    }
    content = entry.content
    if content is None:
        return document | {"removed_at": to_millis(now)}, None
    rejection = None if entry.vector is None else unusable(entry.vector, dimension=dimension)
    values = list(dict.fromkeys(value_tokens.entry_tokens(entry, content)))
    if any(len(one.encode()) > value_tokens.LONGEST_TOKEN for one in values):
        rejection = "value_too_long"
    document |= {"text_hash": content.text_hash, "terms": _terms(content, weights)}
    document |= {"tokens": values} | _instants(content)
    if entry.vector is not None:
        document["vector"] = []  # put in as it is sent
    return document, rejection


def _terms(content: Content, weights: FieldWeights) -> str:
    """Each distinct term with its weighted frequency."""
    said = (
        f"{term_token(term)}|{frequency(weights.of(counts))}"
        for term, counts in field_counts(content).items()
    )
    return " ".join(said)


def frequency(weighted: float) -> int:
    """A weighted frequency in the whole numbers of the index, at least 1."""
    return max(1, min(round(weighted * FREQUENCY_SCALE), _LARGEST_FREQUENCY))


def _instants(content: Content) -> dict[str, int]:
    ends = [one for one in (content.valid_to, content.expires_at) if one is not None]
    instants = {
        "event_time": content.event_time,
        "valid_from": content.valid_from,
        "until": min(ends) if ends else None,
    }
    return {name: to_millis(one) for name, one in instants.items() if one is not None}


def unusable(vector: Vector | Sequence[float], *, dimension: int) -> str | None:
    """Why a vector cannot stand in an index of `dimension` numbers; None if it can."""
    if len(vector) != dimension:
        return "wrong_width"
    if not all(map(math.isfinite, vector)):
        return "not_finite"
    return None if any(vector) else "zero"
