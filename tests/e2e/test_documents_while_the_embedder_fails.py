"""Documents are uploaded while the embedding server is away, or asks for patience: they wait, are
told as waiting, and need nobody's help.
"""

import logging
from collections.abc import Sequence

import pytest

from e2e.client import Client
from e2e.documents_scene import Folder, until
from e2e.embedding_double import EmbeddingDouble, embedding_behind
from stack import LocalStack

pytestmark = pytest.mark.stack
PATIENCE_S = 90
"""A waiting document is looked at 5 s after the last time, or by the round of the next minute."""

SECTIONS, CALLS = 40, 2
"""Each section is a chunk of its own, of which a call of the embedder takes 32."""

TREES = ("alder", "birch", "cedar", "damson", "elder", "fir", "gorse", "hazel", "ivy", "juniper")
PATHS = [f"{tree}.md" for tree in TREES]


def essay(path: str) -> bytes:
    """A document that says its name in every chunk."""
    said = f"The {path.removesuffix('.md')} essay tells what the keeper of the lighthouse saw of"
    return "\n\n".join(f"# Part {n}\n\n{said} storm {n}." for n in range(SECTIONS)).encode()


def assert_whole(folder: Folder, paths: Sequence[str]) -> None:
    """Every document has all its chunks, nothing waits, and each comes first for its own name."""
    documents = folder.documents()
    counted = {path: (one["chunks"], one["generation"]) for path, one in documents.items()}
    assert counted == dict.fromkeys(paths, (SECTIONS, 1))
    assert folder.ledger() == {}
    for path in paths:
        for mode in ("lexical", "semantic"):
            hits = folder.hits(f"the {path.removesuffix('.md')} essay", mode=mode, limit=3)
            assert {hit["document"]["id"] for hit in hits} == {documents[path]["id"]}, (path, mode)


def test_d17_six_documents_wait_for_an_embedder_that_is_down_and_are_ready_once_it_is_up(
    client: Client, local_stack: LocalStack, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger=__name__)
    folder, paths = Folder(client, local_stack, client.fresh("down")), PATHS[:6]
    double, waited = EmbeddingDouble(), set[str]()

    def not_waiting() -> str:
        """Every one is told as waiting at some time; while it is tried again it is `indexing`."""
        documents, ledger = folder.documents(), folder.ledger()
        assert {one["state"] for one in documents.values()} <= {"indexing", "pending"}
        assert {one["id"] for one in documents.values()} <= set(ledger)
        assert set(ledger.values()) <= {"pending"}
        waited.update(path for path, one in documents.items() if one["state"] == "pending")
        return ", ".join(sorted(set(paths) - waited))

    with embedding_behind(local_stack, double):
        folder.put_all({path: essay(path) for path in paths})
        until(not_waiting, patience_s=PATIENCE_S)
        assert set(folder.documents()) == set(paths)
        assert len(folder.ledger()) == len(paths)
        assert folder.hits("keeper of the lighthouse", mode="lexical") == []
        with double.listening():
            seconds = until(lambda: folder.missing(paths), patience_s=PATIENCE_S)
    logging.getLogger(__name__).info("all were ready %.1f s after the embedder was up", seconds)
    assert_whole(folder, paths)


def test_h4_a_storm_of_429_with_retry_after_delays_ten_documents_and_fails_none(
    client: Client, local_stack: LocalStack, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger=__name__)
    folder, double = Folder(client, local_stack, client.fresh("storm")), EmbeddingDouble(share=0.5)
    with embedding_behind(local_stack, double), double.listening():
        folder.put_all({path: essay(path) for path in PATHS})
        seconds = until(lambda: folder.missing(PATHS), patience_s=2 * PATIENCE_S)
    logging.getLogger(__name__).info(
        "%s calls answered, %s throttled, %.1f s", double.answered, double.throttled, seconds
    )
    calls = len(PATHS) * CALLS
    assert double.throttled > calls / 2
    assert double.answered <= 2 * calls
    assert_whole(folder, PATHS)
