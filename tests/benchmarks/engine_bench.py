"""The OpenSearch benchmark: one corpus on one node, in an index of each contender, all of them
asked and written in turns.

Raw `_msearch` and raw bulk are the limit, and the second side of every figure. Ours without
hydration is what its answer states as `total` less `hydrate`: clocks, embedder, both legs, fusion.
The whole search is its wall time. Neither contains an endpoint's or a model's time: the table is
in memory and the vectors are known. The peers' answers hold the texts, as our whole search's do.

Words whose frequency ours does not know yet cost it a second round trip now and then; here it knows
them all beforehand, and raw sends what it then sends.

Every index is merged to one segment before it is asked, so that no merge is part of a search and
none of the contenders has fewer segments by chance.
"""

import gc
import math
import uuid
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

from benchmarks.engine_corpus import Asked, Corpus
from benchmarks.engine_sides import LIMIT, Helper, Ours, Raw
from benchmarks.measuring import Figure, Side, in_turns, timed

P50_BAR, P95_BAR, BULK_BAR = 1.15, 1.3, 0.8
WARM_UP = 20
CHUNK = 1_000
"""Records that each contender writes in one turn."""

MERGE_SECONDS = 3_600
RAW, OURS, HELPER = "raw", "ours", "bulk helper"


class Contest:
    """All contenders with one corpus. What is written is told by `written`: milliseconds of each
    turn by contender.
    """

    def __init__(self, url: str, corpus: Corpus, *, peers: bool) -> None:
        prefix = f"ours-{uuid.uuid4().hex[:8]}"
        self.corpus = corpus
        self.ours = Ours(url, prefix, corpus)
        self.raw = Raw(url, f"{prefix}-raw", self.ours)
        self.helper = Helper(url, f"{prefix}-helper", self.ours)
        # importing it needs what only the benchmarks' own environment has
        self.peers: list[Any] = (
            import_module("benchmarks.engine_peers").made(url, corpus) if peers else []
        )
        self.depths: Sequence[int] = (
            import_module("benchmarks.engine_peers").DEPTHS if peers else ()
        )
        self.chunk = min(CHUNK, max(1, len(corpus) // 4))
        self.written: dict[str, list[float]] = {}

    def fill(self) -> None:
        """Write everything in turns, merge, have ours know the questions' words, and leave the
        collector nothing to look through.
        """
        sides: dict[str, Side] = {
            OURS: self._writes(self.ours),
            RAW: self._writes(self.raw),
            HELPER: self._writes(self.helper),
        }
        sides |= {peer.name: self._writes(peer) for peer in self.peers}
        turns = math.ceil(len(self.corpus) / self.chunk)
        told = in_turns(turns, sides, warm_up=0)
        self.written = {name: columns[0] for name, columns in told.items()}
        self.raw.drop_twin()
        self.helper.drop_twin()
        for index in (self.ours.reading.name, *(peer.index for peer in self.peers)):
            self.raw.client.indices.forcemerge(
                index=index, params={"max_num_segments": 1, "request_timeout": MERGE_SECONDS}
            )
            self.raw.client.indices.refresh(index=index)
        self.ours.learn()
        gc.collect()
        gc.freeze()  # a corpus in memory is the benchmark's, not the contenders'

    def _writes(self, side: Any) -> Side:
        def turn(number: int) -> Sequence[float]:
            first = number * self.chunk
            rows = range(first, min(first + self.chunk, len(self.corpus)))
            return (timed(side.writing(rows))[0],)

        return turn

    def searches(self) -> dict[str, Side]:
        """What each contender does in a turn, by name; ours tells three times."""
        sides: dict[str, Side] = {RAW: self.asked_raw, OURS: self.asked_ours}
        for peer in self.peers:
            for depth in self.depths:
                sides[f"{peer.name}, {depth} a leg"] = self._asked_peer(peer.asking(depth))
        return sides

    def question(self, number: int) -> Asked:
        return self.corpus.questions[number % len(self.corpus.questions)]

    def asked_raw(self, number: int) -> Sequence[float]:
        took, answer = timed(self.raw.asking(self.question(number)))
        responses = answer["responses"]
        if any("error" in one or one["_shards"]["failed"] for one in responses):
            raise RuntimeError(f"not the answer to be measured: {str(responses)[:500]}")
        return (took,)

    def asked_ours(self, number: int) -> Sequence[float]:
        """Without hydration, whole, hydration."""
        asked = self.question(number)
        took, answer = timed(lambda: self.ours.search(asked))
        if answer.degraded or len(answer.hits) != LIMIT:
            raise RuntimeError(f"not the answer to be measured: {answer}"[:500])
        total, hydrate = answer.timings_ms["total"], answer.timings_ms["hydrate"]
        return total - hydrate, took, hydrate

    def _asked_peer(self, asking: Callable[[Asked], list[str]]) -> Side:
        def turn(number: int) -> Sequence[float]:
            asked = self.question(number)
            took, found = timed(lambda: asking(asked))
            if len(found) < LIMIT:
                raise RuntimeError(f"not the answer to be measured: {found}")
            return (took,)

        return turn


def searched(contest: Contest, *, rounds: int) -> list[Figure]:
    """Every contender's search against raw `_msearch`."""
    told = in_turns(rounds, contest.searches(), warm_up=min(WARM_UP, rounds))
    (raw,), (own, whole, _) = told.pop(RAW), told.pop(OURS)
    size = contest.corpus.name
    name = f"{size}: search without hydration / raw"
    figures = [
        Figure(name=f"{name}, p50", ours=own, bare=raw, bar=P50_BAR),
        Figure(name=f"{name}, p95", ours=own, bare=raw, bar=P95_BAR, at_p95=True),
        Figure(name=f"{size}: whole search / raw", ours=whole, bare=raw),
    ]
    for peer, (times,) in told.items():
        figures += [
            Figure(name=f"{size}: {peer} / raw", ours=times, bare=raw),
            Figure(name=f"{size}: whole search / {peer}", ours=whole, bare=times),
        ]
    return figures


def written(contest: Contest) -> list[Figure]:
    """Every contender's writing against raw bulk, as throughputs."""
    times = dict(contest.written)
    raw, ours, helper = times.pop(RAW), times.pop(OURS), times.pop(HELPER)
    size = f"{contest.corpus.name}, {contest.chunk} at once"
    pairs = {
        "projection / raw bulk": (ours, raw, BULK_BAR),
        "projection / bulk helper": (ours, helper, None),
        "bulk helper / raw bulk": (helper, raw, None),
    } | {f"{peer.split()[0]} / raw bulk": (taken, raw, None) for peer, taken in times.items()}
    return [
        Figure(name=f"{size}: {name}", ours=own, bare=bare, bar=bar, throughput=True)
        for name, (own, bare, bar) in pairs.items()
    ]


def growth(large: Contest, small: Contest, *, rounds: int) -> list[Figure]:
    """The same search in the large corpus (ours) and in the small one (bare), all four in turns."""
    sides: dict[str, Side] = {
        f"{name} {contest.corpus.name}": side
        for contest in (large, small)
        for name, side in ((RAW, contest.asked_raw), (OURS, contest.asked_ours))
    }
    told = in_turns(rounds, sides, warm_up=min(WARM_UP, rounds))
    sizes = f"{len(large.corpus):,} / {len(small.corpus):,} records"
    raw, own = (
        [told[f"{name} {contest.corpus.name}"][0] for contest in (large, small)]
        for name in (RAW, OURS)
    )
    limit = Figure(name=f"growth of raw _msearch, {sizes}", ours=raw[0], bare=raw[1])
    return [
        limit,
        Figure(name=f"growth of search without hydration, {sizes}", ours=own[0], bare=own[1],
               bar=round(limit.ratio, 3)),
    ]  # fmt: skip
