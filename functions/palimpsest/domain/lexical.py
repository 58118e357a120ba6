"""Lexical relevance: which words of a record count, and BM25 over them.

Score of a document = Σ over the query's distinct terms of idf · tf / (tf + k1 · (1 - b + b · dl /
avgdl)) with idf = ln(1 + (N - df + 0.5) / (df + 0.5)): Robertson and Zaragoza, "The Probabilistic
Relevance Framework: BM25 and Beyond" (2009), in the form of Lucene, without the constant factor k1
+ 1. tf is a weighted sum over three fields (after their section 3.6, simple BM25F): a word that
names a record says more than one in its text. dl counts every term once, whatever its field. N, df
and avgdl are those of the partitions that are asked, together.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from palimpsest.domain.analysis import terms
from palimpsest.domain.records import Content

K1 = 1.2
B = 0.75

COMMON_SHARE = 0.2
"""Terms in more than this share of the documents asked admit none on their own (`common_terms`)."""

COMMON_FLOOR = 100
"""… nor is a term common that stands in this many documents or fewer."""

FieldCounts = tuple[int, int, int]
"""How often a term stands in names, heads and body."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldWeights:
    """How much a word counts by its field; multiples of 1/8, so that single precision holds the
    sums.
    """

    names: float = 1.5
    heads: float = 1.25
    body: float = 1.0

    def of(self, counts: Sequence[int]) -> float:
        """The weighted sum of counts of names, heads and body."""
        return self.names * counts[0] + self.heads * counts[1] + self.body * counts[2]


def field_terms(content: Content) -> tuple[list[str], list[str], list[str]]:
    """The terms of names (subject, entities, aliases), heads (title, tags, predicate, location),
    body.
    """
    names = (content.subject, *content.entities, *content.aliases)
    heads = (content.title, *content.tags, content.predicate, content.location)
    return _terms_of(names), _terms_of(heads), terms(content.text)


def field_counts(content: Content) -> dict[str, FieldCounts]:
    """Every term of a record with its counts."""
    names, heads, body = map(Counter, field_terms(content))
    return {term: (names[term], heads[term], body[term]) for term in {**names, **heads, **body}}


def saturated(frequency: float, *, length: float, average: float) -> float:
    """How much `frequency` occurrences say in a document of `length` terms, 0 to 1."""
    return frequency / (frequency + K1 * (1 - B + B * length / average))


def idf(documents: int, holding: int) -> float:
    """How much a term tells that stands in `holding` of `documents`."""
    return math.log(1 + (documents - holding + 0.5) / (holding + 0.5))


def common_terms(holding: Mapping[str, int], documents: int, *, share: float) -> set[str]:
    """Terms that stand in more than `share` of the documents: they raise a document but admit none.

    If all terms that stand anywhere are common, none is, so that something is found.
    """
    least = max(share * documents, COMMON_FLOOR)
    common = {term for term, count in holding.items() if count > least}
    return set() if all(term in common for term, count in holding.items() if count) else common


def _terms_of(texts: Iterable[str | None]) -> list[str]:
    return [term for text in texts if text for term in terms(text)]
