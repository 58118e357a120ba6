"""Whether a lexical ranking is thin: it found few, or its best match has few of the words."""

from palimpsest.domain.analysis import terms
from palimpsest.domain.lexical import field_terms
from palimpsest.domain.records import Content

LEAST_COVERAGE = 0.5


def is_thin(query: str, *, found: int, limit: int, best: Content | None) -> bool:
    """Whether fewer than `limit` were found, or the best match (None: it is gone) has under half of
    the question's distinct terms.
    """
    return found < limit or best is None or coverage(query, best) < LEAST_COVERAGE


def coverage(query: str, content: Content) -> float:
    """The share of the question's distinct terms that a record has in any field; 1 where there are
    none to look for.
    """
    wanted = set(terms(query))
    if not wanted:
        return 1.0
    return len(wanted & set[str]().union(*field_terms(content))) / len(wanted)
