"""The kinds of actors, each a function of the world and its plan, registered here by name."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from simulation.actors.canonicals import canonical
from simulation.actors.clients import client
from simulation.actors.operators import operator
from simulation.actors.purgers import purger
from simulation.actors.readers import reader
from simulation.actors.reconcilers import reconciler
from simulation.actors.renewers import renewer
from simulation.actors.restorers import late_client, restorer
from simulation.actors.searchers import searcher
from simulation.actors.sweepers import sweeper
from simulation.plans import PlannedActor

if TYPE_CHECKING:
    from simulation.world import World

KINDS: Mapping[str, Callable[["World", PlannedActor, str], None]] = {
    "client": client,
    "reader": reader,
    "searcher": searcher,
    "sweeper": sweeper,
    "restorer": restorer,
    "late client": late_client,
    "operator": operator,
    "reconciler": reconciler,
    "purger": purger,
    "renewer": renewer,
    "canonical": canonical,
}
"""To add a kind: a module here, its name in this table, and its operations in `drawing`."""
