"""The inverted index of a partition, in memory: which slots hold a term, and how often.

A segment is built of the slots that were added since the last one and never changes; small ones are
merged into larger ones, so that adding stays cheap. Slots that have died are left out when a
question is asked.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from palimpsest.domain.lexical import K1, B, FieldWeights, common_terms, idf
from palimpsest.domain.term_hashes import term_hash

Booleans = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.floating]
Integers = npt.NDArray[np.integer]

_MERGE_FACTOR = 4


@dataclass(frozen=True, slots=True)
class Segment:
    """`slots` and `frequencies` (weighted) of term i stand at `starts[i]:starts[i + 1]`; `hashes`
    ascend.
    """

    hashes: npt.NDArray[np.uint64]
    starts: Integers
    slots: Integers
    frequencies: Floats

    @classmethod
    def of(cls, hashes: npt.NDArray[np.uint64], slots: Integers, frequencies: Floats) -> "Segment":
        """A segment of postings in any order, one for each term and slot."""
        order = np.argsort(hashes)
        ordered = hashes[order]
        first = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
        first = first[: ordered.size]
        return cls(ordered[first], np.append(first, ordered.size), slots[order], frequencies[order])

    def merged(self, other: "Segment", *, alive: Booleans) -> "Segment":
        """One segment of both, without the slots that have died."""
        hashes = np.concatenate([s.hashes.repeat(np.diff(s.starts)) for s in (self, other)])
        slots = np.concatenate((self.slots, other.slots))
        kept = alive[slots]
        frequencies = np.concatenate((self.frequencies, other.frequencies))
        return Segment.of(hashes[kept], slots[kept], frequencies[kept])


def added(segments: Sequence[Segment], new: Segment, *, alive: Booleans) -> tuple[Segment, ...]:
    """The segments with one more, merged so that each is several times as large as the next."""
    kept = list(segments)
    while kept and kept[-1].slots.size < _MERGE_FACTOR * new.slots.size:
        new = kept.pop().merged(new, alive=alive)
    return (*kept, new)


def segment_of(
    terms: Sequence[bytes], counts: Sequence[bytes], *, first_slot: int, weights: FieldWeights
) -> tuple[Segment, Integers]:
    """The segment of consecutive slots, of their stored terms, and the length of each slot."""
    hashes = np.frombuffer(b"".join(terms), np.uint64)
    table = np.frombuffer(b"".join(counts), np.uint16).reshape(-1, 3)
    sizes = np.fromiter((len(blob) // 8 for blob in terms), np.int64, len(terms))
    slots = np.repeat(np.arange(first_slot, first_slot + len(terms), dtype=np.int32), sizes)
    frequencies = (table @ np.array([weights.names, weights.heads, weights.body])).astype(
        np.float32
    )
    lengths = np.bincount(slots - first_slot, table.sum(axis=1), minlength=len(terms))
    return Segment.of(hashes, slots, frequencies), lengths.astype(np.int64)


@dataclass(frozen=True, slots=True)
class Postings:
    """All segments of a partition; by slot, whether it lives and how many terms it has."""

    segments: Sequence[Segment]
    alive: Booleans
    lengths: Integers


@dataclass(frozen=True, slots=True)
class _Found:
    """Postings of the query's terms, in the order of the terms."""

    term: Integers
    slot: Integers
    frequency: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class _Statistics:
    """Of a query's terms in all partitions asked: what each weighs, which may admit a slot (None:
    all of them), and the average length.
    """

    weights: Floats
    admits: Booleans | None
    average: float


def scores(
    partitions: Sequence[Postings], query: Sequence[str], *, common_share: float
) -> list[Floats]:
    """BM25 (`domain.lexical`) of every slot of each partition for distinct terms; 0 where it is no
    candidate.
    """
    found = [_found(one.segments, query, alive=one.alive) for one in partitions]
    statistics = _statistics(partitions, found, query, common_share=common_share)
    return [_scored(one, hits, statistics) for one, hits in zip(partitions, found, strict=True)]


def _statistics(
    partitions: Sequence[Postings],
    found: Sequence[_Found],
    query: Sequence[str],
    *,
    common_share: float,
) -> _Statistics:
    documents = sum(int(one.alive.sum()) for one in partitions)
    length = sum(int(one.lengths[one.alive].sum()) for one in partitions)
    holding = np.zeros(len(query), np.int64)
    for hits in found:
        holding += np.bincount(hits.term, minlength=len(query))
    counts = holding.tolist()
    common = common_terms(dict(zip(query, counts, strict=True)), documents, share=common_share)
    return _Statistics(
        weights=np.array([idf(documents, count) for count in counts]),
        admits=np.array([term not in common for term in query]) if common else None,
        average=max(length / max(documents, 1), 1e-9),
    )


def _scored(one: Postings, found: _Found, statistics: _Statistics) -> Floats:
    room = K1 * (1 - B + B * one.lengths / statistics.average)
    frequency = found.frequency.astype(np.float64)
    said = statistics.weights[found.term] * (frequency / (frequency + room[found.slot]))
    total = np.bincount(found.slot, said, minlength=one.alive.size)
    if statistics.admits is not None:
        admitted = np.zeros(one.alive.size, np.bool_)
        admitted[found.slot[statistics.admits[found.term]]] = True
        total[~admitted] = 0
    return total


def _found(segments: Sequence[Segment], query: Sequence[str], *, alive: Booleans) -> _Found:
    wanted = np.fromiter(map(term_hash, query), np.uint64, len(query))
    parts = [_found_in(segment, wanted) for segment in segments]
    if not parts:
        nothing = np.zeros(0, np.int64)
        return _Found(nothing, nothing, np.zeros(0))
    term, slot, frequency = (np.concatenate(column) for column in zip(*parts, strict=True))
    living = alive[slot]
    return _Found(term[living], slot[living], frequency[living])


def _found_in(
    segment: Segment, wanted: npt.NDArray[np.uint64]
) -> tuple[Integers, Integers, Floats]:
    place = np.searchsorted(segment.hashes, wanted)
    inside = place < segment.hashes.size
    inside[inside] = segment.hashes[place[inside]] == wanted[inside]
    term = np.flatnonzero(inside)
    start = segment.starts[place[term]]
    size = segment.starts[place[term] + 1] - start
    offsets = np.repeat(start - (np.cumsum(size) - size), size) + np.arange(size.sum())
    return term.repeat(size), segment.slots[offsets], segment.frequencies[offsets]
