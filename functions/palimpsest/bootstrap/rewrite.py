"""What the rewrite function works with."""

from dataclasses import dataclass

from palimpsest.adapters.system import SystemClock, ThreadExecutor
from palimpsest.bootstrap.models import make_language_model
from palimpsest.services.rewrite import RewriteService
from palimpsest.settings import Settings, load


@dataclass(frozen=True, slots=True)
class RewriteServices:
    """What the rewrite function works with."""

    settings: Settings
    rewrites: RewriteService


def rewrite_services(settings: Settings | None = None) -> RewriteServices:
    """Rewriting by the language model that is set, or by none."""
    settings = settings or load()
    model = make_language_model(settings)
    rewrites = RewriteService(model, executor=ThreadExecutor(), clock=SystemClock())
    return RewriteServices(settings, rewrites)
