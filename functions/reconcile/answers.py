"""What reconciles, jobs and lists answer."""

from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict

from palimpsest.api.shapes import Count, Instant, Revision, Upload, Warning  # noqa: A004


class FailedRecord(TypedDict):
    """A record that cannot be found on every leg yet, and why."""

    id: str
    reason: str


class ChangedIds(TypedDict):
    """The first 100 ids of each kind of change."""

    added: list[str]
    updated: list[str]
    removed: list[str]


class PassUsage(TypedDict, total=False):
    """What a pass used."""

    embedding_calls: Count
    commits: Count


class PassReport(TypedDict):
    """What a pass did; of a canonical one what it did to entries of the index. `reason` and
    `newest` (the newest revision begun) where it was stale, `ids` of a dry run. `newer`: records
    that clients changed after the pass began, which stand as they are.
    """

    applied: bool
    namespace: str
    revision: Revision
    source_revision: int | None
    dry_run: bool
    added: Count
    updated: Count
    removed: Count
    unchanged: Count
    newer: Count
    embedded: Count
    reused_vectors: Count
    failed: list[FailedRecord]
    usage: PassUsage
    verified: bool
    verification: dict[str, Any]
    ids: NotRequired[ChangedIds]
    reason: NotRequired[Literal["stale"]]
    newest: NotRequired[int]
    warnings: list[Warning]


class Progress(TypedDict):
    """So many of a job's changes are done."""

    done: Count
    total: Count


class Job(TypedDict):
    """Long work: `result` once it has succeeded (a `PassReport`, or a purge's `{receipt}`), `error`
    once it has failed.
    """

    id: str
    kind: Literal["reconcile", "canonical", "purge"]
    status: Literal["queued", "running", "succeeded", "failed"]
    progress: Progress
    started_at: Instant | None
    finished_at: Instant | None
    result: dict[str, Any] | None
    error: dict[str, Any] | None


class JobBegun(TypedDict):
    """The job that a request has become."""

    job: Job
    warnings: list[Warning]


class ListPlace(TypedDict):
    """A place for a list: `uri` is what `active_uri` takes once it has been uploaded."""

    uri: str
    upload: Upload
