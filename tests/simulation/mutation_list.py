"""All deliberate faults."""

from simulation.mutations_of_passes import OF_PASSES
from simulation.mutations_of_purges import OF_PURGES
from simulation.mutations_of_services import OF_SERVICES
from simulation.mutations_of_the_table import OF_THE_TABLE

MUTATIONS = (*OF_THE_TABLE, *OF_SERVICES, *OF_PASSES, *OF_PURGES)
