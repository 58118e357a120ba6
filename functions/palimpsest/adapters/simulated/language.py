"""A language model that answers from a script: deterministic, seeded, with faults on demand."""

import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence

from palimpsest.adapters.simulated.faults import Fault, FaultKind, Faults, fail, stall
from palimpsest.domain.language import Completion, Prompt, Refused

STAGE = "rewrite"
REMEMBERED_CALLS = 10_000
KINDS = (
    FaultKind.OUTAGE,
    FaultKind.TIMEOUT,
    FaultKind.THROTTLED,
    FaultKind.STALL,
    FaultKind.REFUSED,
    FaultKind.RUBBISH,
)
RUBBISH = "}simulated: no JSON, no sentence {["
CHARACTERS_PER_TOKEN = 4
Replies = Mapping[str, str] | Callable[[Prompt], str]


class SimulatedLanguageModel:
    """Answers with what `replies` make of the prompt, or with the first of them whose key is in the
    user's text, and where there is none, with `otherwise`.

    A fault looks for `containing` in the user's text. `calls` tell a test what was asked. `timeout`
    is measured only by the fault `stall`, which really waits; the fault `timeout` stands for it at
    once. A token is four characters.
    """

    def __init__(
        self,
        replies: Replies,
        *,
        otherwise: str = "",
        seed: int = 0,
        faults: Sequence[Fault] = (),
        name: str | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.name = name or f"simulated:{seed}"
        self._replies = replies
        self._otherwise = otherwise
        self._sleep = sleep
        self._calls: deque[Prompt] = deque(maxlen=REMEMBERED_CALLS)
        self._lock = threading.Lock()
        self._faults = Faults(*faults, possible=KINDS, seed=seed)

    @property
    def calls(self) -> list[Prompt]:
        """The prompts that reached the model; of many the newest."""
        with self._lock:
            return list(self._calls)

    def inject(self, *faults: Fault) -> None:
        """Let these faults happen too."""
        self._faults.inject(*faults)

    def heal(self) -> None:
        """No faults from now on."""
        self._faults.heal()

    def complete(self, prompt: Prompt, *, timeout: float) -> Completion:
        """The scripted answer, or the injected fault."""
        fault = self._faults.striking(prompt.user, kinds=KINDS)
        fail(fault, timeout=timeout, stage=STAGE)
        with self._lock:
            self._calls.append(prompt)
        stall(fault, timeout=timeout, stage=STAGE, sleep=self._sleep)
        kind = fault.kind if fault else None
        if kind is FaultKind.REFUSED:
            raise Refused("simulated: declined to answer", stage=STAGE)
        return _completion(prompt, RUBBISH if kind is FaultKind.RUBBISH else self._reply(prompt))

    def _reply(self, prompt: Prompt) -> str:
        if isinstance(self._replies, Mapping):
            found = (reply for key, reply in self._replies.items() if key in prompt.user)
            return next(found, self._otherwise)
        return self._replies(prompt)


def _completion(prompt: Prompt, reply: str) -> Completion:
    text = reply[: prompt.max_tokens * CHARACTERS_PER_TOKEN]
    tokens = sum(map(_tokens, (prompt.system, prompt.user, text)))
    return Completion(text=text, tokens=tokens, cut=text != reply)


def _tokens(text: str) -> int:
    return -(-len(text) // CHARACTERS_PER_TOKEN)
