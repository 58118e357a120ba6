"""The body that makes an index: nothing is left to what an engine's version thinks best."""

import json
from typing import Any

import pytest

from contract.index_entries import NOW, entry, tombstone, vector
from palimpsest.adapters.opensearch.documents import prepared
from palimpsest.adapters.opensearch.index_body import SCHEMA, IndexShape, KnnEngine, index_body
from palimpsest.domain.lexical import FieldWeights
from palimpsest.domain.records import Source

ENGINES = list(KnnEngine)


def body(engine: KnnEngine = KnnEngine.LUCENE, **choices: Any) -> dict[str, Any]:
    shape = IndexShape(fingerprint="test:model:3", dimension=3, engine=engine, **choices)
    return index_body(shape, aliases={"p-v1-write": {"is_write_index": True}})


@pytest.mark.parametrize("engine", ENGINES)
def test_engine_space_and_width_of_the_vectors_are_named(engine: KnnEngine) -> None:
    made = body(engine)
    field = made["mappings"]["properties"]["vector"]
    assert (field["type"], field["dimension"]) == ("knn_vector", 3)
    method = field["method"]
    assert (method["name"], method["engine"]) == ("hnsw", engine.value)
    assert method["space_type"] == "cosinesimil"
    assert set(method["parameters"]) == {"m", "ef_construction"}
    assert made["settings"]["index"]["knn"] is True
    assert "mode" not in field


def test_faiss_is_told_not_to_compress_and_lucene_which_cannot_is_told_nothing() -> None:
    told = {
        engine: body(engine)["mappings"]["properties"]["vector"].get("compression_level")
        for engine in ENGINES
    }
    assert told == {KnnEngine.FAISS: "1x", KnnEngine.LUCENE: None}


@pytest.mark.parametrize("engine", ENGINES)
def test_no_field_comes_to_be_by_a_document_and_no_source_is_kept(engine: KnnEngine) -> None:
    mappings = body(engine)["mappings"]
    assert mappings["dynamic"] == "strict"
    assert mappings["_source"] == {"enabled": False}
    assert all("type" in field for field in mappings["properties"].values())
    assert not any("fields" in field for field in mappings["properties"].values())


def test_an_index_says_what_it_was_made_for() -> None:
    assert body()["mappings"]["_meta"] == {
        "schema": SCHEMA,
        "fingerprint": "test:model:3",
        "dimension": 3,
    }


def test_shards_and_replicas_are_the_clusters_choice() -> None:
    settings = body(shards=2, replicas=1)["settings"]["index"]
    assert (settings["number_of_shards"], settings["number_of_replicas"]) == (2, 1)
    assert body()["settings"]["index"]["number_of_replicas"] == 0


def test_an_index_can_be_written_by_its_alias_from_its_first_moment() -> None:
    assert body()["aliases"] == {"p-v1-write": {"is_write_index": True}}


def test_whatever_a_document_says_has_a_field() -> None:
    full = entry(
        "a",
        "the heron",
        title="weir",
        vector=vector(1, 0, 0),
        event_time=NOW,
        valid_from=NOW,
        valid_to=NOW,
        expires_at=NOW,
        source=Source(uri="u"),
        tags=("x",),
        metadata={"k": 1},
    )
    said: set[str] = set()
    for one in (full, tombstone("b", 3)):
        lines = prepared(one, dimension=3, weights=FieldWeights(), now=NOW).lines
        said |= json.loads(lines.splitlines()[1]).keys()
    assert said == body()["mappings"]["properties"].keys()
