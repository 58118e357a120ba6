"""Jobs: long work that a client asked for and can look at."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from palimpsest.domain.errors import InvalidRequest, PalimpsestError
from palimpsest.domain.names import NAMESPACE_PATTERN

KEPT_FOR = timedelta(days=7)
ID_PATTERN = rf"({NAMESPACE_PATTERN})~((?:reconcile|canonical|purge)-[0-9a-f-]{{36}})"
_ID = re.compile(ID_PATTERN)


class JobKind(StrEnum):
    """What a job does."""

    RECONCILE = "reconcile"
    CANONICAL = "canonical"
    PURGE = "purge"


class JobStatus(StrEnum):
    """How far a job is."""

    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"


class JobRefused(PalimpsestError):
    """A job that can never succeed, however often it is tried. `error`: why, as it is told."""

    def __init__(self, error: Mapping[str, Any]) -> None:
        super().__init__(json.dumps(error, ensure_ascii=False))
        self.error = error

    @classmethod
    def of(cls, error: InvalidRequest) -> "JobRefused":
        """For a request that breaks a rule which could not be looked at before."""
        told = [{"loc": list(e.loc), "msg": e.msg, "type": e.type} for e in error.errors]
        return cls({"type": "invalid-request", "detail": str(error)[:1000], "errors": told[:100]})

    @staticmethod
    def told(error: Mapping[str, Any]) -> dict[str, Any] | None:
        """The `error` of one as a state machine tells it; None if it failed for another reason."""
        if error.get("Error") != JobRefused.__name__:
            return None
        try:
            found = json.loads(json.loads(error["Cause"])["errorMessage"])
        except (KeyError, TypeError, ValueError):
            return None
        return found if isinstance(found, dict) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One job. `id` carries its namespace; `done` of `total` changes are over; a `dry_run` only
    tells what would be; of a purge, `floor` is the revision of its commit. `result` or `error` are
    JSON objects, once it has ended.
    """

    id: str
    kind: JobKind
    tenant: str
    namespace: str
    status: JobStatus
    created_at: datetime
    done: int = 0
    total: int = 0
    dry_run: bool = False
    floor: int = 0
    started_at: datetime | None = None
    finished_at: datetime | None = None
    result: Mapping[str, Any] | None = None
    error: Mapping[str, Any] | None = None

    @property
    def ended(self) -> bool:
        """Whether nothing of it will change any more."""
        return self.status in {JobStatus.SUCCEEDED, JobStatus.FAILED}

    @property
    def name(self) -> str:
        """The part of its id that names it within its namespace: letters, digits and `-`."""
        return self.id.partition("~")[2]


def job_id(namespace: str, kind: JobKind, unique: str) -> str:
    """The id of a job; `unique` is a UUID."""
    return f"{namespace}~{kind.value}-{unique}"


def namespace_of(job: str) -> str | None:
    """The namespace that a job's id carries; None for what is no such id."""
    found = _ID.fullmatch(job)
    return found[1] if found else None


def machine_input(job: Job, pages: int | None = None) -> dict[str, Any]:
    """What the state machine of a job is started with; `pages`: of its plan, if it has one."""
    told: dict[str, Any] = {
        "kind": job.kind.value,
        "tenant": job.tenant,
        "job": job.id,
        "prepared": pages is not None,
    }
    if pages is not None:
        told["plan"] = {"pages": list(range(pages)), "apply": True}
    return told
