"""Which OpenSearch node a local stack uses, and how it is started and asked for the index."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from cli import index
from local import endpoint
from local.children import Children
from local.layout import Layout, plain_environment
from opensearch import distribution, node

PREFIX = "palimpsest"


@dataclass(frozen=True, slots=True)
class SearchNode:
    """A node by its address, the prefix of its indices, and whether the stack starts it."""

    url: str
    prefix: str
    ours: bool

    @property
    def parameters(self) -> dict[str, str]:
        """What the template is told."""
        return {"OpenSearchUrl": self.url, "IndexPrefix": self.prefix}

    def members(self, outputs: Mapping[str, str]) -> dict[str, str]:
        """What `.local/env` says of it."""
        return {
            "ENGINE": "opensearch",
            "OPENSEARCH_URL": self.url,
            "INDEX_PREFIX": self.prefix,
            "INDEX_FUNCTION": outputs["IndexFunctionName"],
        }


def choose(layout: Layout, environment: Mapping[str, str] = os.environ) -> SearchNode | None:
    """The node of `OPENSEARCH_URL` with `INDEX_PREFIX`, else one of the stack's own; None if the
    engine is another.
    """
    if layout.engine != "opensearch":
        return None
    own = f"http://127.0.0.1:{layout.opensearch_port}"
    named = environment.get("OPENSEARCH_URL", "").rstrip("/")
    if named in {"", own}:  # its own address comes back to a stack whose env file was read
        return SearchNode(own, PREFIX, ours=True)
    return SearchNode(named, environment.get("INDEX_PREFIX") or PREFIX, ours=False)


def start(layout: Layout, children: Children, *, say: Callable[[str], None]) -> None:
    """Start the stack's own node; a later end of it is mended. Raises `RuntimeError` if there is
    no JDK or no Maven.
    """
    prepared = distribution.prepare(say=say)
    layout.opensearch.mkdir(exist_ok=True)
    say(f"starting OpenSearch on port {layout.opensearch_port}")
    children.start(
        "OpenSearch",
        node.command(prepared, layout.opensearch, port=layout.opensearch_port),
        environment=plain_environment(),
        log=layout.log("opensearch"),
        restart=True,
    )


def wait(chosen: SearchNode, children: Children) -> None:
    """Wait until the node serves. Raises `RuntimeError` if it ends, or late."""
    health = f"{chosen.url}/_cluster/health?wait_for_status=yellow&timeout=1s"
    endpoint.wait_for(health, children, seconds=node.START_SECONDS)


def ensure_index(function: str) -> None:
    """Have the index made if it is not there. Raises `RuntimeError` with the function's words."""
    try:
        index.call(function, "ensure")
    except index.StepFailed as error:
        raise RuntimeError(f"the index could not be made: {error}") from error
