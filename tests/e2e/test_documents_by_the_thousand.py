"""DOCUMENT_FILES small files are put at once: all are found, each once, and no more of them are
worked on at one time than the template says.
"""

import logging
import os
import time
from collections.abc import Iterator

import pytest

from e2e.client import Client
from e2e.documents_at_rest import leavings, waiting
from e2e.documents_scene import Folder, until
from e2e.documents_stack import stack_for
from e2e.documents_watch import queue_mapping, watched
from stack import LocalStack

pytestmark = pytest.mark.stack
FILES = int(os.environ.get("DOCUMENT_FILES") or 60)
SHARED_UP_TO = 200
PATIENCE_S = 120 + 3 * FILES
EVERY_S = 0.5 + FILES / 500
"""All documents are counted at each look."""

SAMPLE = 20


@pytest.fixture
def stack(request: pytest.FixtureRequest) -> Iterator[LocalStack]:
    with stack_for(request, much=FILES > SHARED_UP_TO) as made:
        yield made


@pytest.fixture
def client(stack: LocalStack) -> Iterator[Client]:
    with Client(stack.values["PALIMPSEST_URL"], stack.values["PALIMPSEST_KEY"]) as made:
        yield made


def test_d7_a_thousand_files_put_at_once_are_each_found_once_by_no_more_workers_than_may_be(
    client: Client, stack: LocalStack, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger=__name__)
    folder = Folder(client, stack, client.fresh("thousand"))
    files = {f"notes/{n:05}.txt": f"Note {n} of the heron.\n".encode() for n in range(FILES)}
    with watched(folder) as seen:
        began = time.monotonic()
        folder.put_all(files)
        put = time.monotonic() - began
        until(lambda: folder.unsettled(FILES), patience_s=PATIENCE_S, every_s=EVERY_S)
        seconds = time.monotonic() - began
    logging.getLogger(__name__).info(
        "%s files: put in %.1f s, ready in %.1f s, %.2f a second; at most %s at once; MiB: %s",
        *(FILES, put, seconds, FILES / seconds, seen.most, seen.peaks),
    )
    most, _ = queue_mapping(stack)
    assert 1 < seen.most <= most
    documents = folder.documents()
    assert set(documents) == set(files)
    assert {(d["state"], d["chunks"], d["generation"]) for d in documents.values()} == {
        ("ready", 1, 1)
    }
    assert folder.ledger() == {}
    counts = client.wait(folder.namespace)["counts"]
    assert (counts["active"], counts["documents"], counts["unsearchable"]) == (FILES, FILES, 0)
    assert len(seen.beginnings) <= FILES
    assert leavings(folder, documents) == ""
    for path in list(files)[:: -(-FILES // SAMPLE)]:
        (hit,) = folder.hits("heron", mode="lexical", filter={"document.id": documents[path]["id"]})
        assert hit["text"].encode() == files[path]
    assert waiting(stack, "IngestFailuresUrl") == 0
