"""What is seen of ingest from outside while it works: how many documents at once, how far each is,
and how much memory its processes ever had.
"""

import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from e2e.documents_scene import Folder
from e2e.documents_time import under_way
from e2e.endpoint_clients import client_of, output_of
from e2e.processes import command, descendants
from palimpsest.domain.documents import DocumentState
from stack import LocalStack

WORKER, CHILD = "worker", "child"
_TOLD_BY = {WORKER: "lambda-palimpsest-ingest-", CHILD: "palimpsest.adapters.parsers.child"}
_HIGH_WATER = re.compile(r"VmHWM:\s+(\d+) kB")
_KIB_OF_A_MIB = 1024
DOCUMENTS_S, PROCESSES_S = 0.5, 0.25
"""Between two looks: the endpoint has other things to do."""


@dataclass
class Seen:
    """`most`: documents that were worked on at one time. `beginnings`: the attempts there were, in
    their order, with the pages of chunks that each had done in the end. `peaks`: MiB that a worker
    and a reader of files ever had.
    """

    most: int = 0
    beginnings: dict[str, int] = field(default_factory=dict)
    peaks: dict[str, int] = field(default_factory=dict)

    def look_at_documents(self, folder: Folder) -> None:
        now, busy = datetime.now(UTC), 0
        for document in under_way(folder):
            attempt = document.attempt
            if attempt is not None and document.state is DocumentState.INDEXING:
                busy += attempt.lease > now
                self.beginnings[attempt.id] = attempt.done
        self.most = max(self.most, busy)

    def look_at_processes(self, stack: LocalStack) -> None:
        for pid in descendants(int(stack.values["PALIMPSEST_PID"])):
            told = command(pid)
            for kind, words in _TOLD_BY.items():
                if words in told:
                    self.peaks[kind] = max(self.peaks.get(kind, 0), _high_water(pid))


@contextmanager
def watched(folder: Folder) -> Iterator[Seen]:
    """What is seen of a namespace's documents meanwhile."""
    seen, over = Seen(), threading.Event()

    def keep(look: Callable[[], None], every_s: float) -> None:
        while not over.wait(every_s):
            look()

    looks = [
        (lambda: seen.look_at_documents(folder), DOCUMENTS_S),
        (lambda: seen.look_at_processes(folder.stack), PROCESSES_S),
    ]
    threads = [threading.Thread(target=keep, args=look) for look in looks]
    for thread in threads:
        thread.start()
    try:
        yield seen
    finally:
        over.set()
        for thread in threads:
            thread.join()


def queue_mapping(stack: LocalStack) -> tuple[int, int]:
    """By the template, how many messages of its queue ingest is at work on at one time at most, and
    how many of them one call is given.
    """
    found = client_of(stack, "lambda").list_event_source_mappings(
        FunctionName=f"{output_of(stack, 'IngestFunctionName')}:live"
    )
    (mapping,) = found["EventSourceMappings"]
    return int(mapping["ScalingConfig"]["MaximumConcurrency"]), int(mapping["BatchSize"])


def _high_water(pid: int) -> int:
    """The most memory a process ever had, in MiB; 0 once it is gone."""
    with suppress(OSError):
        found = _HIGH_WATER.search(Path(f"/proc/{pid}/status").read_text())
        return int(found[1]) // _KIB_OF_A_MIB if found else 0
    return 0
