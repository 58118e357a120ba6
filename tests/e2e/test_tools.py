"""An agent's tools on the running stack; on OpenSearch: `test_opensearch_stack`."""

import pytest

from e2e.client import Client
from e2e.tools_round import every_tool

pytestmark = pytest.mark.stack


def test_h8_every_tool_through_the_real_path(client: Client) -> None:
    every_tool(client)
