"""Invariants of purges: the commit hides everything at once and ends every pass, only what is at
or below the floor is erased, and at the end nothing of it is anywhere.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from palimpsest.adapters.dynamodb.items import FENCE
from simulation.commit_invariants import COUNTS, Commit
from simulation.passes import FenceWrite, Passes
from simulation.scheduling import Violated
from simulation.table import Item, Key, Written
from simulation.truth import Truth

if TYPE_CHECKING:
    from simulation.world import World

NUMBERED = ("H#", "E#")
PLACES = {"lexical", "semantic", "records", "history", "vectors", "ledger", "erasures"}
PLACES |= {"documents", "marks", "objects"}


def check_commit(commit: Commit, fence: Written | None, passes: Passes, moment: int) -> None:
    """The commit of a purge. Raises `Violated`."""
    purge = passes.purges[commit.by]
    clock: Any = commit.clock.after
    if purge.pk != commit.pk or purge.applied:
        raise Violated("once", f"{purge} is applied again at {commit.revision}")
    if int(clock.get("fl", {"N": "0"})["N"]) != commit.revision or commit.records():
        raise Violated("purges", f"{purge} sets {clock}")
    if any(int(clock[name]["N"]) for name in COUNTS):
        raise Violated("purges", f"{purge} counts {clock}")
    if not any(sk.startswith("J#") for sk in commit.items):
        raise Violated("purges", f"{purge} begins no job")
    if fence is None or fence.after is None or fence.key.sk != FENCE:
        raise Violated("fence", f"{purge} leaves the fence")
    before: Item = fence.before or {}
    attempt = fence.after["attempt"]["S"]
    if attempt in passes.attempts or fence.after.get("begun") != before.get("begun"):
        raise Violated("fence", f"{purge} makes it {fence.after}")
    begun = int(fence.after["begun"]["N"]) if "begun" in fence.after else 0
    passes.fences[commit.pk].append(FenceWrite(moment, attempt, begun))
    purge.applied.append(commit.revision)


def check_erased(key: Key, before: Item, truth: Truth) -> bool:
    """Whether an item that was deleted beside commits is one that a purge may erase."""
    floor = truth.floors.get(key.pk, 0)
    if key.sk.startswith(NUMBERED):
        return int(key.sk.rsplit("#", 1)[1]) <= floor
    if int(before["rev"]["N"]) > floor:
        raise Violated("purges", f"{key} is erased above the floor {floor}: {before}")
    return True


def check_receipt(pk: str, receipt: dict[str, int], *, alone: bool, last: bool) -> None:
    """The receipt of a job that has ended; `alone`: no fault has struck, and no pass or other purge
    has been under way; `last`: nor a commit since. Vectors bear no revision: those of texts that
    were replaced or forgotten since are counted too.
    """
    if receipt.keys() != PLACES:
        raise Violated("receipts", f"{pk}: {receipt}")
    told = receipt if last else {**receipt, "vectors": 0}
    if alone and any(told.values()):
        raise Violated("receipts", f"{pk}: the purge leaves {receipt}")


def check_rest(world: "World") -> None:
    """Nothing at or below a floor is left. Raises `Violated`."""
    for pk, floor in world.truth.floors.items():
        left = sorted(_left(world, pk, floor))
        if floor and left:
            raise Violated("purges", f"{pk} is purged at {floor}, but {left}")


def _left(world: "World", pk: str, floor: int) -> Iterator[str]:
    items = {key.sk: item for key, item in world.table.everything().items() if key.pk == pk}
    for sk, item in items.items():
        if sk.startswith(NUMBERED) and int(sk.rsplit("#", 1)[1]) <= floor:
            yield sk
        if sk.startswith(("R#", "U#")) and int(item["rev"]["N"]) <= floor:
            yield sk
        if sk.startswith("V#") and f"R#{sk.split('#')[1]}" not in items:
            yield sk
