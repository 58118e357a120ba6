"""Load the sample corpus into a namespace of a running stack: `python infra/sample/load.py`.

`corpus.jsonl` is what a small coffee-roasting team would have its agent remember, written for this
project: sixty records in several languages, with supersessions, dates and expiries; `commit` orders
them. Reads PALIMPSEST_URL and PALIMPSEST_KEY from the environment. A namespace that is in use is
left alone.
"""

import itertools
import json
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx

CORPUS = Path(__file__).with_name("corpus.jsonl")
NAMESPACE = "default"
PATIENCE_S = 120.0


def commits() -> Iterator[list[dict[str, Any]]]:
    """The operations of each commit, in order."""
    rows = map(json.loads, CORPUS.read_text(encoding="utf-8").splitlines())
    for _, of_commit in itertools.groupby(rows, key=lambda row: row["commit"]):
        yield [{"op": "put", "id": row["id"], "record": row["record"]} for row in of_commit]


def load(client: httpx.Client, *, namespace: str = NAMESPACE) -> int:
    """Commit every batch and wait for the index; the number of records written, 0 if any were
    there.
    """
    written = 0
    if client.get(f"namespaces/{namespace}").raise_for_status().json()["revision"]:
        return written
    for operations in commits():
        answer = client.post(f"namespaces/{namespace}/commits", json={"operations": operations})
        answer.raise_for_status()
        written += len(operations)
    wait_for_index(client, namespace=namespace)
    return written


def wait_for_index(client: httpx.Client, *, namespace: str, patience_s: float = PATIENCE_S) -> None:
    """Until the index has caught up with the namespace. Raises `TimeoutError`."""
    end = time.monotonic() + patience_s
    while True:
        status = client.get(f"namespaces/{namespace}").raise_for_status().json()
        if status["lag"] == 0:
            return
        if time.monotonic() > end:
            raise TimeoutError(f"the index is {status['lag']} revisions behind")
        time.sleep(0.2)


def main() -> int:
    """Load the corpus."""
    with httpx.Client(
        base_url=os.environ["PALIMPSEST_URL"].rstrip("/") + "/",
        headers={"Authorization": f"Bearer {os.environ['PALIMPSEST_KEY']}"},
        timeout=60,
    ) as client:
        print(f"loaded {load(client)} records into namespace {NAMESPACE!r}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
