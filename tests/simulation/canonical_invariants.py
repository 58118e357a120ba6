"""Invariants of canonical reconciles: what one calls verified is what the table says, and nothing
that was damaged before it is left.
"""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from simulation.engine import NOBODY
from simulation.index_invariants import is_of
from simulation.scheduling import Violated
from simulation.table import Key
from simulation.truth import ACTIVE

if TYPE_CHECKING:
    from simulation.engine import EngineIndex
    from simulation.world import World


def check(pk: str, report: Mapping[str, Any], world: "World", began: float) -> None:
    """A report as it is told. Raises `Violated`."""
    numbers = [report[kind] for kind in ("added", "updated", "removed", "unchanged", "embedded")]
    if min(numbers) < 0 or report["applied"] is report["dry_run"]:
        raise Violated("canonical", f"{pk}: {report}")
    if not report["verified"]:
        return
    upto = int(report["verification"]["revision"])
    for index in world.engine.indices.values():
        left = sorted(_left(pk, index, world, began, upto))
        if left:
            raise Violated("canonical", f"{index.name} {pk} is verified, but for {left}: {report}")


def _left(pk: str, index: "EngineIndex", world: "World", began: float, upto: int) -> Iterator[str]:
    """What was damaged before a reconcile began and still is, of records that have not changed."""
    for name, (moment, _) in index.damaged.items():
        partition, _, record_id = name.rpartition("#")
        if moment > began or partition != pk:
            continue
        if name in index.strays or record_id == NOBODY:
            yield name
            continue
        now = world.truth.now((pk, record_id))
        if now.status != ACTIVE or not 0 < now.revision <= upto or now.visible > began:
            continue
        document = index.documents.get(name)
        named = world.table.true(Key(pk, f"U#{index.generation}#{record_id}"))
        fits = document is not None and is_of(document, now) and "vector" in document.source
        if not fits and named is None:
            yield f"{record_id} {now}"
