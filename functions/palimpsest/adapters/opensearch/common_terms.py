"""How many documents hold a term: counted along with searches, and kept for some minutes.

The rule is `domain.lexical.common_terms`, of the documents of the partitions that are asked. Counts
that are not (yet) known make no term common, so what is not known never hides a document.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from palimpsest.adapters.opensearch.filtering import partition_query
from palimpsest.adapters.opensearch.questions import Body, Question, engine_time
from palimpsest.domain.lexical import COMMON_FLOOR, COMMON_SHARE, common_terms

FRESH_S = 300.0
"""Counts older than this are counted anew with the next question that has the term."""

BELIEVED_S = 900.0
"""… and hold meanwhile, unless they are older than this."""

MOST_KEPT = 10_000
MOST_COUNTED = 64
"""Terms counted along with one search; those beyond are counted with a later one."""

_ALL = ""
"""What stands in place of a term for the number of all documents."""

_STEP_MS = 100


@dataclass(frozen=True, slots=True)
class Count:
    """Documents that hold a term, of how many there were at that moment."""

    holding: int
    documents: int


@dataclass(frozen=True, slots=True)
class Counting:
    """What is counted: the documents of some partitions, and those that hold each of the words."""

    partitions: tuple[str, ...]
    words: Sequence[str]

    def bodies(self, *, timeout: float) -> list[Body]:
        """One search without hits for each number. Their time-out is in steps, so that the engine's
        request cache, which goes by the bytes, knows those that come again.
        """
        within = partition_query(self.partitions)
        told = engine_time(timeout, step_ms=_STEP_MS)
        return [_body([within], told)] + [
            _body([within, {"term": {"terms": word}}], told) for word in self.words
        ]

    def read(self, responses: Sequence[Any]) -> dict[str, Count]:
        """What the answers to these bodies tell, in order. One that failed, lacks a part of the
        index or makes no sense tells nothing.
        """
        documents, *holding = map(_total, responses)
        if documents is None:
            return {}
        told = {_ALL: documents, **dict(zip(self.words, holding, strict=True))}
        return {
            word: Count(number, documents)
            for word, number in told.items()
            if number is not None and number <= documents
        }


class TermCounts:
    """The counts of the terms that were asked for last, by index and partitions. Serves many
    threads.
    """

    def __init__(self, *, most: int = MOST_KEPT) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[str, tuple[str, ...], str], tuple[Count, float]] = (
            OrderedDict()
        )

    def common(self, index: str, partitions: Iterable[str], words: Sequence[str]) -> set[str]:
        """The words of a question that admit nothing on their own, as far as is known. The largest
        number of documents is taken for all: growth meanwhile makes no term common.
        """
        known = self._known(index, _scope(partitions), words, for_s=BELIEVED_S)
        documents = max((one.documents for one in known.values()), default=0)
        holding = {word: one.holding for word, one in known.items()}
        return common_terms(holding, documents, share=COMMON_SHARE)

    def unknown(self, index: str, questions: Iterable[Question]) -> list[Counting]:
        """What is to be counted along with these questions; nothing where nothing can be common."""
        room, wanted = MOST_COUNTED, dict[tuple[str, ...], dict[str, None]]()
        for one in questions:
            scope = _scope(one.query.partitions)
            known = self._known(index, scope, [_ALL, *one.words], for_s=FRESH_S)
            if len(one.words) < 2 or _small(known):  # noqa: PLR2004  # a word alone is never common
                continue
            words = wanted.setdefault(scope, {})
            new = [word for word in one.words if word not in known and word not in words][:room]
            words.update(dict.fromkeys(new))
            room -= len(new)
        return [Counting(scope, list(words)) for scope, words in wanted.items() if words]

    def learn(self, index: str, scope: tuple[str, ...], counts: Mapping[str, Count]) -> None:
        """Keep what a counting told, and let go of what was asked for least lately."""
        now = time.monotonic()
        with self._lock:
            for word, count in counts.items():
                key = index, scope, word
                self._kept[key] = count, now
                self._kept.move_to_end(key)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)

    def _known(
        self, index: str, scope: tuple[str, ...], words: Collection[str], *, for_s: float
    ) -> dict[str, Count]:
        oldest, known = time.monotonic() - for_s, dict[str, Count]()
        with self._lock:
            for word in words:
                key = index, scope, word
                count, since = self._kept.get(key, (None, 0.0))
                if count is not None and since > oldest:
                    self._kept.move_to_end(key)
                    known[word] = count
        return known


def _scope(partitions: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(partitions)))


def _small(known: Mapping[str, Count]) -> bool:
    """Whether there are too few documents for a term to be common."""
    return _ALL in known and known[_ALL].documents <= COMMON_FLOOR


def _body(must: list[Body], timeout: str) -> Body:
    held = {"bool": {"filter": must, "must_not": [{"term": {"tombstone": True}}]}}
    return {"size": 0, "query": held, "track_total_hits": True, "timeout": timeout}


def _total(response: Any) -> int | None:
    """The number of hits, if the answer is whole."""
    try:
        total, failed = response["hits"]["total"], response["_shards"]["failed"]
        value, relation = total["value"], total["relation"]
        whole = not ("error" in response or response["timed_out"]) and failed == 0
    except (IndexError, KeyError, TypeError):
        return None
    sound = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    return value if whole and sound and relation == "eq" else None
