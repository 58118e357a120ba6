"""The remembering tool: a text becomes a record of its own."""

import secrets
from dataclasses import dataclass

from palimpsest.domain.commit_planning import CommitRequest, Operation
from palimpsest.domain.idempotency import IdempotencyKey
from palimpsest.domain.ids import uuid7
from palimpsest.domain.instants import to_millis
from palimpsest.domain.records import Content
from palimpsest.domain.tool_results import ToolResult, ToolSource, label
from palimpsest.ports import Clock
from palimpsest.services.commit import CommitService
from palimpsest.services.tools.caller import ToolCaller

NS_PER_MS = 1_000_000


@dataclass(frozen=True, slots=True)
class RememberTool:
    """Keeps texts."""

    commits: CommitService
    clock: Clock

    def remember(
        self, caller: ToolCaller, text: str, *, key: IdempotencyKey | None = None
    ) -> ToolResult:
        """Keep a text under a new id, a UUID of version 7; once, however often it comes under one
        idempotency key. Raises as a commit does.
        """
        record_id = uuid7(to_millis(self.clock.now()) * NS_PER_MS, secrets.randbits(62))
        committed = self.commits.commit(
            CommitRequest(
                tenant=caller.tenant,
                namespace=caller.namespace,
                operations=[Operation(id=record_id, content=Content(text=text), guard=0)],
                by=caller.by,
                idempotency=key,
            )
        )
        (outcome,) = committed.outcomes
        source = ToolSource(outcome.id, caller.namespace, outcome.revision)
        return ToolResult(f"Remembered as [{label(1)}] {outcome.id}.", [source])
