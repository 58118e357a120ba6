"""Rewriting a question by a language model. It always answers: with the original alone where there
is no model, or where the model's answer cannot be used.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from palimpsest.domain.errors import DeadlineExceeded, PalimpsestError
from palimpsest.domain.language import Refused
from palimpsest.domain.rewriting import (
    PROMPT_VERSION,
    Rewriting,
    Turn,
    UnusableRewriting,
    original,
    prompt,
    rewriting,
)
from palimpsest.ports import Clock, Executor, LanguageModel, Pending
from palimpsest.services.failure_reasons import failure
from palimpsest.services.in_time import INNER_SHARE, in_time
from palimpsest.services.shared_cache import SharedCache

KEPT, KEPT_S = 512, 600.0
"""How many rewritings a process keeps, and for how many seconds."""

STAGE = "rewrite"
NOT_CONFIGURED = "not_configured"


class RewriteStatus(StrEnum):
    """How a rewriting came to be."""

    OK = "ok"
    SKIPPED = "skipped"
    FALLBACK = "fallback"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewritten:
    """A rewriting, and what it took (`ms`, where it was begun beside). `reason` unless the status
    is `ok`.
    """

    rewriting: Rewriting
    status: RewriteStatus
    reason: str | None = None
    llm_calls: int = 0
    llm_tokens: int = 0
    ms: float = 0.0


@dataclass(frozen=True, slots=True)
class _Answer:
    """A usable answer of the model."""

    rewriting: Rewriting
    tokens: int


class _Unusable(Exception):
    """An answer that was paid for and cannot be used."""

    def __init__(self, reason: str, tokens: int) -> None:
        super().__init__(reason)
        self.reason, self.tokens = reason, tokens


CacheKey = tuple[str, str, int, str, tuple[Turn, ...]]


class RewriteService:
    """Rewrites questions of any tenant. Without a model everything is `skipped`.

    Usable answers are kept by tenant, model, prompt, query and history.
    """

    def __init__(self, model: LanguageModel | None, *, executor: Executor, clock: Clock) -> None:
        self.model, self._executor, self._clock = model, executor, clock
        self._cache = SharedCache[CacheKey, _Answer](clock, most=KEPT, seconds=KEPT_S)

    @property
    def available(self) -> bool:
        """Whether there is a model."""
        return self.model is not None

    def begin(
        self, tenant: str, query: str, *, history: Sequence[Turn] = (), timeout: float
    ) -> Pending[Rewritten]:
        """`rewrite`, beside what the caller does; it ends shortly before `timeout` seconds."""

        def work() -> Rewritten:
            start = self._clock.monotonic()
            found = self.rewrite(tenant, query, history=history, timeout=INNER_SHARE * timeout)
            return replace(found, ms=(self._clock.monotonic() - start) * 1000)

        return self._executor.submit(work)

    def rewrite_within(
        self,
        tenant: str,
        query: str,
        *,
        history: Sequence[Turn] = (),
        most: int | None = None,
        timeout: float,
    ) -> Rewritten:
        """`rewrite`, waited for no longer than `timeout` seconds, and `most` variations of it.
        Where neither others nor a history are asked for, nobody is asked.
        """
        if most == 1 and not history and self.available:
            return _alone(query, RewriteStatus.SKIPPED, "nothing_asked")
        pending = self.begin(tenant, query, history=history, timeout=timeout)
        try:
            found = in_time(pending, timeout=timeout, stage=STAGE)
        except DeadlineExceeded:
            return _alone(query, RewriteStatus.FALLBACK, "model_timeout", calls=1)
        kept = replace(found.rewriting, variations=found.rewriting.variations[:most])
        return replace(found, rewriting=kept)

    def rewrite(
        self, tenant: str, query: str, *, history: Sequence[Turn] = (), timeout: float
    ) -> Rewritten:
        """The rewriting of a question, within `timeout` seconds. Never raises for the model."""
        model, turns = self.model, tuple(history)
        if model is None:
            return _alone(query, RewriteStatus.SKIPPED, NOT_CONFIGURED)
        key = (tenant, model.name, PROMPT_VERSION, query, turns)
        try:
            kept = self._cache.get(
                key, lambda: _ask(model, query, turns, timeout=timeout), timeout=timeout
            )
        except _Unusable as error:
            return _alone(query, RewriteStatus.FALLBACK, error.reason, calls=1, tokens=error.tokens)
        except TimeoutError:
            return _alone(query, RewriteStatus.FALLBACK, "model_timeout")
        except Refused:
            return _alone(query, RewriteStatus.FALLBACK, "model_refused", calls=1)
        except PalimpsestError as error:
            return _alone(query, RewriteStatus.FALLBACK, f"model_{failure(error)}", calls=1)
        answer = kept.value
        paid = (0, 0) if kept.shared else (1, answer.tokens)
        return Rewritten(
            rewriting=answer.rewriting,
            status=RewriteStatus.OK,
            llm_calls=paid[0],
            llm_tokens=paid[1],
        )


def _ask(model: LanguageModel, query: str, history: tuple[Turn, ...], *, timeout: float) -> _Answer:
    completion = model.complete(prompt(query, history), timeout=timeout)
    try:
        found = rewriting(completion.text, query, history=history)
    except UnusableRewriting as error:
        reason = "cut_off" if completion.cut else error.reason
        raise _Unusable(reason, completion.tokens) from error
    return _Answer(found, completion.tokens)


def _alone(
    query: str, status: RewriteStatus, reason: str, *, calls: int = 0, tokens: int = 0
) -> Rewritten:
    return Rewritten(
        rewriting=original(query),
        status=status,
        reason=reason,
        llm_calls=calls,
        llm_tokens=tokens,
    )
