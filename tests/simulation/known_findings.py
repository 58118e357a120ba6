"""Faults of the code that the simulation has found and that are not mended yet, each tolerated by
name so that every other one is still seen. A name is taken out of `ALL` when its fault is mended;
`SIMULATION_STRICT` names those, with `;` between them, that shall be seen all the same.
"""

import os

UNTRANSLATED_CONFLICT = "a conflict with a transaction is not translated"
"""A single write to an item that a transaction is writing is refused with botocore's own error."""

UNLISTED_JOB = "a job of a namespace without a commit is not resumed"
"""The directory names a namespace from its first commit on; what looks after jobs goes by it."""

HIDDEN_JOB = "a job that cannot be seen yet is given up"
"""The first step of a purge reads its job, which its commit has not shown yet, and gives it up."""

ALL = (UNTRANSLATED_CONFLICT, UNLISTED_JOB, HIDDEN_JOB)
TOLERATED = frozenset(ALL) - frozenset(os.environ.get("SIMULATION_STRICT", "").split(";"))


def tolerated(name: str) -> bool:
    """Whether that fault is passed over."""
    return name in TOLERATED
