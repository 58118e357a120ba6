"""Large files: DOCUMENT_MB of text that no single call of the function has the time for, and a
single line of 100 MB beside small documents.
"""

import logging
import os
import random
from collections.abc import Iterator

import pytest

from e2e.changed_functions import changed
from e2e.client import Client
from e2e.documents_at_rest import leavings, waiting
from e2e.documents_scene import Folder, until
from e2e.documents_stack import stack_for
from e2e.documents_watch import CHILD, WORKER, queue_mapping, watched
from stack import LocalStack

pytestmark = pytest.mark.stack
MEGABYTES = float(os.environ.get("DOCUMENT_MB") or 3)
SHARED_UP_TO = 5
LIMIT_S = 34 if MEGABYTES <= SHARED_UP_TO else 120
"""Of the function's time: 30 s of it are kept for ending, and the file has to be read in the rest.
"""

PATIENCE_S = 120 + 90 * MEGABYTES
MEMORY_MIB = 1024
LINE_BYTES = 100_000_000
LINE_PATIENCE_S = 120
PLANTED = "The walrus has signed the treaty of Svalbard."


@pytest.fixture
def stack(request: pytest.FixtureRequest) -> Iterator[LocalStack]:
    with stack_for(request, much=MEGABYTES > SHARED_UP_TO) as made:
        yield made


@pytest.fixture
def client(stack: LocalStack) -> Iterator[Client]:
    with Client(stack.values["PALIMPSEST_URL"], stack.values["PALIMPSEST_KEY"]) as made:
        yield made


def long_text() -> str:
    """Paragraphs of made-up words, and a fact at the end."""
    chance = random.Random(0)
    syllables = [a + b for a in "bcdfghklmnprst" for b in "aeiou"]
    words = ["".join(chance.choices(syllables, k=chance.randint(1, 4))) for _ in range(4000)]
    paragraphs, size = list[str](), 0
    while size < MEGABYTES * 1_000_000:
        sentences = (" ".join(chance.choices(words, k=12)).capitalize() for _ in range(12))
        paragraphs.append(". ".join(sentences) + ".\n\n")
        size += len(paragraphs[-1])
    return "".join(paragraphs) + PLANTED


def test_d8_a_text_too_long_for_one_call_goes_on_page_by_page_and_is_whole_in_the_end(
    client: Client, stack: LocalStack, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger=__name__)
    folder, text = Folder(client, stack, client.fresh("long")), long_text()
    told = list[int]()

    def missing() -> str:
        document = folder.document("long.txt")
        if document is None:
            return "it is not listed"
        if (progress := document["progress"]) is not None and progress["done"] not in told:
            told.append(progress["done"])
        assert document["state"] in {"indexing", "pending", "ready"}, document
        return "" if document["state"] == "ready" else f"{document['state']} {seen.beginnings}"

    with changed(stack, "IngestFunctionName", timeout=LIMIT_S), watched(folder) as seen:
        folder.put("long.txt", text.encode())
        seconds = until(missing, patience_s=PATIENCE_S)
    (document,) = folder.documents().values()
    logging.getLogger(__name__).info(
        "%s MB: %.0f s, %s chunks, %s calls, progress told %s times; MiB: %s",
        *(MEGABYTES, seconds, document["chunks"], len(seen.beginnings), len(told), seen.peaks),
    )
    assert len(seen.beginnings) > 1
    done = list(seen.beginnings.values())
    assert done == sorted(done)  # each went on where the one before had ended
    assert len(told) > len(done)  # readers are told, too
    assert told == sorted(told)
    assert document["generation"] == 1
    assert document["characters"] == len(text)
    assert folder.text(document["id"]) == text
    counts = client.wait(folder.namespace)["counts"]
    assert counts["active"] == document["chunks"] > MEGABYTES * 500
    # the first search of so large an index reads it from the disk
    hits = folder.hits("what has the walrus signed", mode="lexical", limit=1, timeout_ms=20_000)
    assert [PLANTED in hit["text"] for hit in hits] == [True]
    assert leavings(folder, {"long.txt": document}) == ""
    assert seen.peaks[WORKER] + seen.peaks.get(CHILD, 0) < MEMORY_MIB  # a quick one is not seen
    assert waiting(stack, "IngestFailuresUrl") == 0


def test_a_line_of_100_megabytes_is_told_as_too_large_and_holds_up_no_other_document(
    client: Client, stack: LocalStack, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger=__name__)
    folder = Folder(client, stack, client.fresh("line"))
    small = [f"small{n}.txt" for n in range(8)]
    line = (b"ferry " * (LINE_BYTES // 6 + 1))[:LINE_BYTES]

    def unsettled() -> str:
        document = folder.document("line.txt")
        settled = document is not None and document["state"] in {"failed", "ready", "no_text"}
        return "" if settled else str(document)

    with watched(folder) as seen:
        folder.put_all(dict.fromkeys(small[:4], b"A note on herons.\n"))
        folder.put("line.txt", line)
        folder.put_all(dict.fromkeys(small[4:], b"A note on otters.\n"))
        seconds = until(unsettled, patience_s=LINE_PATIENCE_S)
        until(lambda: folder.missing(small), patience_s=LINE_PATIENCE_S)
    _, together = queue_mapping(stack)
    assert together == 1  # a call takes no other document with it, whatever becomes of it
    logging.getLogger(__name__).info("told after %.1f s; MiB: %s", seconds, seen.peaks)
    documents = folder.documents()
    end = documents.pop("line.txt")
    assert (end["state"], end["reason"], end["chunks"]) == ("failed", "too_large", 0)
    assert {(d["state"], d["chunks"], d["generation"]) for d in documents.values()} == {
        ("ready", 1, 1)
    }
    assert folder.ledger() == {end["id"]: "too_large"}
    assert len(folder.hits("note", mode="lexical", limit=20)) == len(small)
    assert seen.peaks[WORKER] + seen.peaks[CHILD] < MEMORY_MIB
    assert waiting(stack, "IngestFailuresUrl") == 0
