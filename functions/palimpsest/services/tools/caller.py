"""On whose behalf a tool is called."""

from typing import NamedTuple


class ToolCaller(NamedTuple):
    """Whose memory, which namespace of it, and the id of the key that asks."""

    tenant: str
    namespace: str
    by: str
