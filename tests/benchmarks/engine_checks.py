"""Whether raw and ours really send the same, byte for byte but for the instants: looked at before
anything is timed, for a limit that sent something else would be none.
"""

import re
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from opensearchpy import OpenSearch

from benchmarks.engine_corpus import made
from benchmarks.engine_sides import Ours, Raw

RECORDS = 600
"""So many that a word of the question is common, and a leg says what it does not admit."""

ADMITTING = b'{"terms":{"terms":['

MOMENTARY = re.compile(rb'"timeout":"\d+ms"|\b\d{13}\b')
"""The engine's time-out, and the present in milliseconds."""


def check(url: str) -> None:
    """Raises `RuntimeError` where the two differ in an `_msearch`, or in the lines of a bulk."""
    corpus = made(RECORDS, questions=1)
    prefix = f"checked-{uuid.uuid4().hex[:8]}"
    ours = Ours(url, prefix, corpus)
    raw = Raw(url, f"{prefix}-twin", ours)
    everything, (asked,) = range(RECORDS), corpus.questions
    with sent_by(ours.client) as own, sent_by(raw.client) as bare:
        ours.writing(everything)()
        raw.writing(everything)()
        if _documents(own) != _documents(bare):
            raise RuntimeError("raw does not write what our projection writes")
        ours.learn()
        own.clear()
        bare.clear()
        ours.search(asked)
        raw.asking(asked)()
    questions = [[MOMENTARY.sub(b"", body) for body in bodies] for bodies in (own, bare)]
    if not any(ADMITTING in body for body in own):
        raise RuntimeError("no word of the question is common: its leg is not the one to compare")
    if questions[0] != questions[1]:
        raise RuntimeError("raw does not ask what our search asks")


def _documents(bodies: list[bytes]) -> list[tuple[bytes, bytes]]:
    """Actions with their documents, in the order of ids: one request or several make no
    difference.
    """
    lines = b"".join(bodies).splitlines()
    return sorted(zip(lines[::2], lines[1::2], strict=True))


@contextmanager
def sent_by(client: OpenSearch) -> Iterator[list[bytes]]:
    """The bodies that a client sends meanwhile, in order."""
    bodies: list[bytes] = []
    transport: Any = client.transport
    perform = transport.perform_request

    def noted(*arguments: Any, body: Any = None, **options: Any) -> Any:
        if isinstance(body, bytes):
            bodies.append(body)
        return perform(*arguments, body=body, **options)

    transport.perform_request = noted
    try:
        yield bodies
    finally:
        transport.perform_request = perform
