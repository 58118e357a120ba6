"""Pages, commits and batches of a few records for the time of a run, so that short lists take
several of each, and are handed over to jobs.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from palimpsest.services import canonical_jobs, purge_steps
from palimpsest.services.reconciling import applying, passes, planning

SMALL: tuple[tuple[Any, str, int], ...] = (
    (planning, "PAGE_CHANGES", 3),
    (applying, "COMMIT_CHANGES", 2),
    (passes, "MOST_CHANGES", 4),
    (purge_steps, "ERASE_BATCH", 3),
    (purge_steps, "WRITE_BATCH", 3),
    (canonical_jobs, "MOST_AT_ONCE", 4),
)


@contextmanager
def small_pages() -> Iterator[None]:
    """Small as long as the run lasts."""
    before = [getattr(module, name) for module, name, _ in SMALL]
    try:
        for module, name, value in SMALL:
            setattr(module, name, value)
        yield
    finally:
        for (module, name, _), value in zip(SMALL, before, strict=True):
            setattr(module, name, value)
