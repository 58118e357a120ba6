"""A reranker made of arithmetic: deterministic, seeded, with faults on demand."""

import math
import threading
from collections import deque
from collections.abc import Sequence

from palimpsest.adapters.simulated.embedder import SCRIPTS_WITHOUT_SPACES, TOKEN
from palimpsest.adapters.simulated.faults import Fault, FaultKind, Faults, fail, stall
from palimpsest.domain.relevance import STAGE, in_order, presentable

REMEMBERED_CALLS = 10_000
WITHOUT_ANSWER = (FaultKind.OUTAGE, FaultKind.TIMEOUT, FaultKind.THROTTLED, FaultKind.STALL)
USELESS = (FaultKind.TOO_FEW, FaultKind.NOT_FINITE, FaultKind.UNKNOWN_INDEX)


class SimulatedReranker:
    """Scores a document by the share of the question's words in it, from -1 (none) to 1 (all).

    `calls` tell a test what was judged. `timeout` is not measured: the fault `timeout` stands for
    it, and `stall` really waits.
    """

    def __init__(self, *, seed: int = 0, faults: Sequence[Fault] = ()) -> None:
        self._calls: deque[tuple[str, list[str]]] = deque(maxlen=REMEMBERED_CALLS)
        self._lock = threading.Lock()
        self._faults = Faults(*faults, possible=WITHOUT_ANSWER + USELESS, seed=seed)

    @property
    def name(self) -> str:
        """The same for all: they all judge alike."""
        return "simulated"

    @property
    def calls(self) -> list[tuple[str, list[str]]]:
        """The questions and documents that reached the model; of many calls the newest."""
        with self._lock:
            return list(self._calls)

    def inject(self, *faults: Fault) -> None:
        """Let these faults happen too."""
        self._faults.inject(*faults)

    def heal(self) -> None:
        """No faults from now on."""
        self._faults.heal()

    def rerank(self, query: str, documents: Sequence[str], *, timeout: float) -> list[float]:
        """The score of each document, in their order, or the injected fault."""
        if not documents:
            return []
        fault = self._faults.striking(
            "\n".join([query, *documents]), kinds=WITHOUT_ANSWER + USELESS
        )
        fail(fault, timeout=timeout, stage=STAGE)
        stall(fault, timeout=timeout, stage=STAGE)
        with self._lock:
            self._calls.append((query, list(documents)))
        answer = _answer(query, documents)
        if fault:
            _spoil(answer, fault.kind)
        return in_order(answer, len(documents), member="score")


def _answer(query: str, documents: Sequence[str]) -> list[dict[str, float]]:
    asked = _words(query)
    shares = [len(asked & _words(document)) / len(asked) for document in documents]
    return [{"index": place, "score": 2 * share - 1} for place, share in enumerate(shares)]


def _spoil(answer: list[dict[str, float]], kind: FaultKind) -> None:
    if kind is FaultKind.TOO_FEW:
        answer.pop()
    elif kind is FaultKind.NOT_FINITE:
        answer[-1]["score"] = math.nan
    elif kind is FaultKind.UNKNOWN_INDEX:
        answer[-1]["index"] = len(answer)


def _words(text: str) -> set[str]:
    """Words in lower case, each character of a script without spaces, each sign; never none."""
    whole = presentable(text)
    spaced = SCRIPTS_WITHOUT_SPACES.sub(lambda found: f" {found[0]} ", whole.casefold())
    return set(TOKEN.findall(spaced)) or {whole}
