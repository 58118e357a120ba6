"""Invariants of what passes tell: applied ones have finished and their numbers add up, stale ones
were displaced, dry runs change nothing.
"""

from collections.abc import Mapping
from typing import Any

from simulation.passes import Begun, Listed, Passes
from simulation.scheduling import Violated
from simulation.truth import Truth

KINDS = ("added", "updated", "removed")


def check(
    listed: Listed,
    report: Mapping[str, Any],
    truth: Truth,
    passes: Passes,
    *,
    faults: int,
    indexed: int,
) -> None:
    """A report as it is told. `faults`: so many have struck by now; `indexed`: the furthest that a
    generation of the index is said to be. Raises `Violated`.
    """
    if report["verified"] and not listed.dry_run and indexed < report["revision"]:
        raise Violated("reports", f"{listed} is verified, but the index is at {indexed}: {report}")
    if report["dry_run"] != listed.dry_run:
        raise Violated("reports", f"{listed}: {report}")
    if report.get("reason") == "stale":
        if report["applied"] or report["verified"]:
            raise Violated("reports", f"{listed}: {report}")
        _check_stale(listed, report, passes)
    elif listed.dry_run:
        _check_numbers(listed, report, truth, base=0)
        if report["applied"]:
            raise Violated("reports", f"{listed}: {report}")
    else:
        _check_applied(listed, report, truth, passes, undisturbed=faults == listed.struck)


def _check_stale(listed: Listed, report: Mapping[str, Any], passes: Passes) -> None:
    """Somebody else has begun since, or had with a newer revision."""
    if listed.revision and passes.newest(listed.pk) > listed.revision:
        return
    own = {one.attempt for one in passes.of(listed)}
    later = [one for one in passes.fences[listed.pk] if one.moment > listed.began]
    if len(own) <= 1 and all(one.attempt in own for one in later):
        raise Violated("reports", f"{listed} is called stale without reason: {report}")


def _check_applied(
    listed: Listed,
    report: Mapping[str, Any],
    truth: Truth,
    passes: Passes,
    *,
    undisturbed: bool,
) -> None:
    finished = [one for one in passes.of(listed) if one.finished]
    if not report["applied"] or not finished:
        raise Violated("reports", f"{listed} never finished: {report}")
    last = finished[-1]
    _check_numbers(listed, report, truth, base=last.first)
    alone = len(passes.of(listed)) == 1
    if alone:
        _check_written(last, report, truth)
    later = any(
        one.revision > last.first and one.by != listed.by
        for (pk, _), versions in truth.versions.items()
        for one in versions
        if pk == listed.pk
    )
    # the log of a purge that came just before may come into view after the projection
    unseen = truth.floors.get(listed.pk, 0) == report["revision"]
    if undisturbed and not later and not unseen and passes.holds(listed.pk, last.attempt):
        digests = report["verification"]["digests"]
        right = digests["list"] == digests["table"] and not report["verification"]["wrong"]
        if not right or not report["verified"]:
            raise Violated("reports", f"{listed} is not verified: {report}")


def _check_numbers(listed: Listed, report: Mapping[str, Any], truth: Truth, *, base: int) -> None:
    """Each id of the list counts once, and what else clients wrote later."""
    numbers = [report[kind] for kind in (*KINDS, "unchanged", "newer")]
    beside = sum(numbers) - report["removed"] - len(listed.texts)
    later = sum(
        any(one.revision > base for one in versions)
        for (pk, record_id), versions in truth.versions.items()
        if pk == listed.pk and record_id not in listed.texts
    )
    if min(numbers) < 0 or not 0 <= beside <= later:
        raise Violated("reports", f"{listed}: the numbers do not add up: {report}")


def _check_written(begun: Begun, report: Mapping[str, Any], truth: Truth) -> None:
    """Where no client has written since it began, it wrote as many records as it tells."""
    listed = begun.listed
    written, others = 0, 0
    for (pk, _), versions in truth.versions.items():
        if pk == listed.pk:
            written += sum(one.by == listed.by for one in versions)
            others += sum(one.revision > begun.first and one.by != listed.by for one in versions)
    if not others and written != sum(report[kind] for kind in KINDS):
        raise Violated("reports", f"{listed} wrote {written} records: {report}")
    if not others and report["newer"]:
        raise Violated("reports", f"{listed}: nothing is newer: {report}")
