"""Mapping and settings of an index, as data. A change of either is another `SCHEMA`, hence another
index.

An entry holds no text: its terms are the hashes of `domain.analysis`' terms with their weighted
frequencies, which `delimited_term_freq` (OpenSearch 2.10) hands to Lucene, so words are cut and
stemmed alike wherever the index is. `_source` is off: hits are read back from the table.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from palimpsest.domain.lexical import K1, B

SCHEMA = 1

FREQUENCY_SCALE = 8
"""Field weights are multiples of 1/8, and Lucene counts in whole numbers: each frequency is 8 times
what it says, and so are the lengths; `k1` makes up for it.
"""


class KnnEngine(StrEnum):
    """What builds the graph of vectors. The published plugin archive has no native libraries, so a
    node without them has `lucene` only.
    """

    LUCENE = "lucene"
    FAISS = "faiss"


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexShape:
    """What an index is made for: the embedding model, its width, and the cluster's own choices."""

    fingerprint: str
    dimension: int
    engine: KnnEngine = KnnEngine.LUCENE
    shards: int = 1
    replicas: int = 0


_SIMILARITY = {"type": "BM25", "k1": K1 * FREQUENCY_SCALE, "b": B, "discount_overlaps": True}
_ANALYSIS = {
    "filter": {"frequencies": {"type": "delimited_term_freq", "delimiter": "|"}},
    "analyzer": {
        "stored_terms": {"tokenizer": "whitespace", "filter": ["frequencies"]},
        "asked_terms": {"tokenizer": "whitespace", "filter": []},
    },
}


def index_body(shape: IndexShape, *, aliases: Mapping[str, Any]) -> dict[str, Any]:
    """The body that makes an index. Nothing in it is left to a default that versions differ in."""
    return {
        "aliases": dict(aliases),
        "settings": {
            "index": {
                "number_of_shards": shape.shards,
                "number_of_replicas": shape.replicas,
                "refresh_interval": "1s",
                "gc_deletes": "1h",
                "knn": True,
                "similarity": {"terms": _SIMILARITY},
                "analysis": _ANALYSIS,
            }
        },
        "mappings": {
            "dynamic": "strict",
            "_source": {"enabled": False},
            "_meta": {
                "schema": SCHEMA,
                "fingerprint": shape.fingerprint,
                "dimension": shape.dimension,
            },
            "properties": _properties(shape),
        },
    }


def _properties(shape: IndexShape) -> dict[str, Any]:
    instant = {"type": "long"}  # epoch milliseconds, of the years 1 to 9999
    return {
        "partition": {"type": "keyword"},
        "id": {"type": "keyword"},
        "revision": {"type": "long"},
        "version": {"type": "long"},
        "tombstone": {"type": "boolean"},
        "removed_at": instant,
        "text_hash": {"type": "keyword", "index": False},
        "terms": {
            "type": "text",
            "analyzer": "stored_terms",
            "search_analyzer": "asked_terms",
            "similarity": "terms",
            "index_options": "freqs",
            "norms": True,
        },
        "tokens": {"type": "keyword", "doc_values": False, "norms": False},
        "event_time": instant,
        "valid_from": instant,
        "until": instant,
        "vector": _vector(shape),
    }


def _vector(shape: IndexShape) -> dict[str, Any]:
    field: dict[str, Any] = {
        "type": "knn_vector",
        "dimension": shape.dimension,
        "method": {
            "name": "hnsw",
            "engine": shape.engine.value,
            "space_type": "cosinesimil",
            "parameters": {"m": 16, "ef_construction": 128},
        },
    }
    if shape.engine is KnnEngine.FAISS:  # newer versions compress unless told not to
        field["compression_level"] = "1x"
    return field
