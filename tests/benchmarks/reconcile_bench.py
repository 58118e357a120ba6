"""Reconcile: whole passes over 1,000, 16,384 and 100,000 records of which none, 16 or all changed,
as the state machine takes their steps, but in this process; against embedding and one raw bulk.

Objects lie in a bucket of the local endpoint, records in its table. Up to `EMBEDDED` records are
embedded by the model; beyond that vectors are made up, on both sides.
"""

import threading
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import boto3

from benchmarks.measuring import Figure, timed
from benchmarks.place import TENANT, MadeVectors, Place
from benchmarks.sentences import Sentences
from palimpsest.api.record_list import listed
from palimpsest.bootstrap.reconciling import ReconcilingParts, reconciling_parts
from palimpsest.domain.entries import Entry
from palimpsest.domain.jobs import Job
from palimpsest.domain.records import Content
from palimpsest.services.reconciling.beginning import PassRequest
from palimpsest.services.reconciling.pass_files import Desired
from palimpsest.services.reconciling.pass_steps import PassJobService
from palimpsest.services.reconciling.passes import ReconcileService

EMBEDDED = 1_000
SOME = 16
BATCH = 500
FOREVER = 1e12
BUCKET = "bench"


@dataclass(slots=True)
class Counted:
    """A thing whose calls of one name are counted, by how much each was given."""

    inner: Any
    name: str
    much: int = 0

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.inner, name)
        if name != self.name:
            return found

        def counted(*given: Any, **named: Any) -> Any:
            self.much += len(named["TransactItems"] if "TransactItems" in named else given[0])
            return found(*given, **named)

        return counted


@dataclass(slots=True)
class Passes:
    """Passes over one namespace, whose lists follow on one another."""

    parts: ReconcilingParts
    namespace: str
    embedder: Counted
    writer: Counted
    revision: int = 0
    jobs: PassJobService = field(init=False)

    def __post_init__(self) -> None:
        parts = self.parts
        self.jobs = PassJobService(
            beginning=parts.beginning,
            planning=parts.planning,
            steps=parts.steps,
            fences=parts.fences,
            jobs=parts.jobs,
            objects=parts.objects,
            clock=parts.projection.reading.clock,
            read_list=listed,
        )

    def run(self, active: Sequence[Desired]) -> dict[str, Any]:
        """One pass; its report."""
        self.revision += 1
        request = PassRequest(
            tenant=TENANT, namespace=self.namespace, revision=self.revision, forget=False, by="b"
        )
        parts = self.parts
        service = ReconcileService(
            beginning=parts.beginning,
            planning=parts.planning,
            steps=parts.steps,
            jobs=parts.jobs,
            starter=_NotStarted(),
            objects=parts.objects,
            passing=lambda: parts.objects,
            clock=parts.projection.reading.clock,
        )
        job = service.reconcile(request, active, job=True)
        if not isinstance(job, Job):
            raise TypeError(f"the pass was refused: {job}")
        return self._steps(job)

    def _steps(self, job: Job) -> dict[str, Any]:
        def now() -> Job:
            found = self.parts.jobs.get(job.tenant, job.id)
            if found is None:
                raise LookupError(job.id)
            return found

        pages, apply = self.jobs.plan(now())
        for page in pages if apply else ():
            self.jobs.prepare(now(), page, until=FOREVER)
        self.jobs.apply(now(), until=FOREVER)
        self.jobs.verify(now(), until=FOREVER)
        self.jobs.finish(now())
        report = dict(now().result or {})
        if not (report.get("applied") and report.get("verified")):
            raise RuntimeError(f"the pass is not proved: {report}")
        return report


class _NotStarted:
    def start(self, name: str, payload: Any) -> None:
        """The steps are taken here."""

    def running(self, name: str) -> bool | None:  # noqa: ARG002
        """No machine runs."""
        return None


@contextmanager
def peak_memory() -> Iterator[list[float]]:
    """MiB of resident memory that the process grows by meanwhile, at its peak; told at the end."""
    told, over, before = list[float](), threading.Event(), _resident()
    peak = before

    def look() -> None:
        nonlocal peak
        while not over.wait(0.05):
            peak = max(peak, _resident())

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield told
    finally:
        over.set()
        thread.join()
        told.append(max(0.0, peak - before))


def _resident() -> float:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * 4096 / 2**20


def measure(place: Place, *, sizes: Sequence[int]) -> tuple[list[Figure], list[str]]:
    """The ratios of the passes that change all, and a line about each pass."""
    figures, lines = list[Figure](), list[str]()
    boto3.client("s3").create_bucket(Bucket=BUCKET)
    for size in sizes:
        passes = _passes(place, size)
        texts = Sentences(seed=size).records(3 * size)
        first = [(f"r{n:06}", Content(text=texts[n])) for n in range(size)]
        some = _changed(first, texts[size : size + min(SOME, size)])
        everything = _changed(first, texts[2 * size :])
        took = 0.0
        for name, active in (
            ("all new", first),
            ("none changed", first),
            (f"{SOME} changed", some),
            ("all changed", everything),
        ):
            took, line = _told(passes, size, name, active)
            lines.append(line)
        bare = _bare(place, passes, Sentences(seed=size + 1).records(size))
        figures.append(Figure(name=f"reconcile of {size}, all changed", ours=[took], bare=[bare]))
    return figures, lines


def _told(passes: Passes, size: int, name: str, active: Sequence[Desired]) -> tuple[float, str]:
    embedded, items = passes.embedder.much, passes.writer.much
    with peak_memory() as grown:
        began = time.perf_counter()
        passes.run(active)
        took = 1000 * (time.perf_counter() - began)
    return took, (
        f"reconcile of {size:,}, {name}: {passes.embedder.much - embedded:,} texts embedded, "
        f"{passes.writer.much - items:,} items written, {took / 1000:.1f} s, "
        f"{grown[0]:.0f} MiB at its peak"
    )


def _changed(records: Sequence[Desired], texts: Sequence[str]) -> list[Desired]:
    new = [(i, Content(text=text)) for (i, _), text in zip(records, texts, strict=False)]
    return [*new, *records[len(new) :]]


def _passes(place: Place, size: int) -> Passes:
    """The services as bootstrap makes them, with what is written and embedded counted."""
    parts = reconciling_parts(replace(place.services("projector").settings, uploads_bucket=BUCKET))
    it = parts.projection.reading
    model = it.embedding.embedder
    embedder = Counted(model if size <= EMBEDDED else MadeVectors(model), "embed_passages")
    store: Any = it.store
    writer = Counted(store._writer, "transact_write_items")
    store._writer = writer
    projection = replace(it, embedding=replace(it.embedding, embedder=embedder))
    steps = replace(
        parts.steps,
        preparing=replace(
            parts.steps.preparing,
            embedding=replace(parts.steps.preparing.embedding, embedder=embedder),
        ),
        verifying=replace(parts.steps.verifying, projection=projection),
    )
    return Passes(replace(parts, steps=steps), f"passes-{uuid.uuid4().hex[:12]}", embedder, writer)


def _bare(place: Place, passes: Passes, texts: Sequence[str]) -> float:
    """Milliseconds of embedding that many texts and writing them into the index, and no more."""
    index = place.services("projector").projection.index
    partition = f"{TENANT}#bare-{uuid.uuid4().hex[:12]}"

    def embedded_and_written() -> None:
        for start in range(0, len(texts), BATCH):
            batch = texts[start : start + BATCH]
            made = passes.embedder.embed_passages(batch, timeout=600)
            index.write(
                [
                    Entry(
                        partition=partition,
                        id=f"r{start + n:06}",
                        revision=1,
                        version=3,
                        content=Content(text=text),
                        vector=one.vector,
                    )
                    for n, (text, one) in enumerate(zip(batch, made, strict=True))
                ],
                visible=False,
            )
        index.refresh()

    return timed(embedded_and_written)[0]
