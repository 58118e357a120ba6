"""Whether a search asks in several ways, and in which."""

from collections.abc import Sequence
from dataclasses import dataclass

from palimpsest.domain.errors import DeadlineExceeded
from palimpsest.domain.queries import Deep, SearchRequest
from palimpsest.domain.routing import signals
from palimpsest.ports import Clock, Pending
from palimpsest.services.in_time import in_time
from palimpsest.services.rewrite import (
    NOT_CONFIGURED,
    STAGE,
    RewriteService,
    RewriteStatus,
    Rewritten,
)


@dataclass(frozen=True, slots=True)
class Begun:
    """A decision; `pending` where the model is being asked."""

    decided: Deep
    pending: Pending[Rewritten] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Deepening:
    """Decides by the request, and by the router where the request leaves it open."""

    rewriter: RewriteService
    clock: Clock

    def begin(self, request: SearchRequest, *, timeout: float) -> Begun:
        """Decide, and begin to ask the model if need be. `timeout` in seconds."""
        query = request.query
        if request.deep is False:
            return Begun(_shallow(query, "not_asked"))
        if not self.rewriter.available:
            return Begun(_shallow(query, NOT_CONFIGURED))
        reason = "asked"
        if request.deep is None:
            found = signals(query)
            if not found:
                return Begun(_shallow(query, "router:no-signal"))
            reason = "router:" + ",".join(_kinds(found))
        pending = self.rewriter.begin(request.tenant, query, timeout=timeout)
        return Begun(_shallow(query, reason), pending)

    def finish(self, begun: Begun, *, until: float) -> Deep:
        """The ways to ask; the original alone, and that it fell short, where the model has not
        answered by then (monotonic seconds).
        """
        if begun.pending is None:
            return begun.decided
        (query,) = begun.decided.variations
        start = self.clock.monotonic()
        try:
            found = in_time(begun.pending, timeout=max(0.0, until - start), stage=STAGE)
        except DeadlineExceeded:
            took = (self.clock.monotonic() - start) * 1000
            reason = "rewrite:model_timeout"
            return Deep(variations=(query,), reason=reason, fell_short=True, llm_calls=1, ms=took)
        answered = found.status is RewriteStatus.OK
        return Deep(
            used=answered and len(found.rewriting.variations) > 1,
            variations=found.rewriting.variations,
            reason=begun.decided.reason if answered else f"rewrite:{found.reason}",
            fell_short=not answered,
            llm_calls=found.llm_calls,
            llm_tokens=found.llm_tokens,
            ms=found.ms,
        )


def _shallow(query: str, reason: str) -> Deep:
    return Deep(variations=(query,), reason=reason)


def _kinds(found: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(signal.partition(":")[0] for signal in found))
