"""All deliberate faults."""

from simulation.mutations_of_services import OF_SERVICES
from simulation.mutations_of_the_table import OF_THE_TABLE

MUTATIONS = (*OF_THE_TABLE, *OF_SERVICES)
