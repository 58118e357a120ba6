"""The beginning of passes, watched: which attempt is whose, and what each takes for the past."""

from dataclasses import dataclass

from palimpsest.domain.passes import Pass
from palimpsest.services.reconciling.beginning import Asked, BeginningService, PassRequest
from simulation.passes import Begun, Passes
from simulation.scheduling import Violated


@dataclass(frozen=True, slots=True)
class WatchedBeginning(BeginningService):
    """`BeginningService` that tells `passes` what it does."""

    passes: Passes

    def begin(self, request: PassRequest, *, attempt: str, asked: Asked | None = None) -> Pass:
        listed = self.passes.by_name[request.by]
        if listed.dry_run:
            raise Violated("dry runs", f"{listed} begins")
        self.passes.attempts.setdefault(attempt, Begun(attempt, listed))
        return self._took(BeginningService.begin(self, request, attempt=attempt, asked=asked))

    def resume(self, request: PassRequest, *, attempt: str) -> Pass:
        return self._took(BeginningService.resume(self, request, attempt=attempt))

    def _took(self, one: Pass) -> Pass:
        begun = self.passes.attempts[one.attempt]
        if begun.clock is None or one.base < begun.clock:
            raise Violated("fence", f"{begun} takes {one.base} for the past")
        begun.bases.append(one.base)
        return one
