"""Invariants of jobs: each ends once, with a result that is true, and at the end every one has
ended and left no files.
"""

import json
from typing import TYPE_CHECKING

from palimpsest.domain.jobs import JobKind
from palimpsest.services.reconciling.pass_files import work_prefix
from simulation import purge_invariants, report_invariants
from simulation.passes import Passes
from simulation.scheduling import Violated
from simulation.table import Table, Written
from simulation.truth import Truth

if TYPE_CHECKING:
    from simulation.world import World


def check(written: Written, truth: Truth, passes: Passes, table: Table, faults: int) -> None:
    """A write of a job beside commits. Raises `Violated`."""
    (pk, sk), before, after = written
    if after is None:
        raise Violated("jobs", f"{pk} {sk} is gone")
    if before is not None and "fa" in before:
        raise Violated("jobs", f"{pk} {sk} ends again: {after}")
    if "fa" not in after:
        return
    if "err" in after:
        raise Violated("jobs", f"{pk} {sk} has failed: {after['err']}")
    result = json.loads(after["res"]["S"])
    kind = after["kind"]["S"]
    if kind == JobKind.PURGE:
        purges = sum(one.pk == pk for one in passes.purges.values())
        alone = not faults and not passes.by_name and not passes.damaging and purges == 1
        last = truth.clock(pk) == truth.floors.get(pk)
        purge_invariants.check_receipt(pk, result["receipt"], alone=alone, last=last)
    name = sk.partition("~")[2]
    begun = passes.attempts.get(name.removeprefix(f"{JobKind.RECONCILE}-"))
    listed = begun.listed if begun is not None else passes.jobs.get(name)
    if kind == JobKind.RECONCILE and listed is not None:
        at = indexed(pk, table)
        report_invariants.check(listed, result, truth, passes, faults=faults, indexed=at)


def indexed(pk: str, table: Table) -> int:
    """The furthest that a generation of the index is said to be with a namespace."""
    items = [one for key, one in table.everything().items() if key.pk == pk]
    return max(
        (int(one["rev"]["N"]) for one in items if one["sk"]["S"].startswith("INDEX#")), default=0
    )


def check_rest(world: "World") -> None:
    """Raises `Violated`."""
    for key, item in world.table.everything().items():
        if not key.sk.startswith("J#"):
            continue
        if "fa" not in item:
            raise Violated("jobs", f"{key} has not ended")
        tenant, _, namespace = key.pk.partition("#")
        prefix = work_prefix(tenant, namespace, key.sk.partition("~")[2])
        left = list(world.objects.held.keys(prefix))
        if left and not world.machines.disturbed:
            raise Violated("jobs", f"{key} has left {left}")
