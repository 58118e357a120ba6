"""What services need for finding: an embedding model and a search index.

Every method raises `Unavailable` (or `DeadlineExceeded`) when its dependency cannot answer, and
nothing turns such an outage into an empty result.
"""

from collections.abc import Iterator, Sequence
from typing import Protocol

from palimpsest.domain.embedding import Embedded
from palimpsest.domain.entries import Entry, EntryState, Leg, LegQuery, LegResult, WriteResult
from palimpsest.domain.errors import EmbeddingRejected
from palimpsest.domain.filters import Filter
from palimpsest.domain.ledger import Reading
from palimpsest.domain.vectors import Vector


class Embedder(Protocol):
    """Text to vectors of one model. One instance serves many threads."""

    @property
    def fingerprint(self) -> str:
        """Names model, build and width; vectors of different fingerprints are never compared.

        Characters: `A-Z a-z 0-9 . _ : -`.
        """
        ...

    @property
    def dimension(self) -> int:
        """The width of every vector."""
        ...

    def embed_query(self, text: str, *, timeout: float) -> Vector:
        """The unit vector of a question. Raises `EmbeddingRejected` if the model gave no usable
        one, `ProviderError`, `Throttled`, `Unavailable` or `DeadlineExceeded` (`timeout` in
        seconds).
        """
        ...

    def embed_passages(
        self, texts: Sequence[str], *, timeout: float
    ) -> Sequence[Embedded | EmbeddingRejected]:
        """One result a text, in order: its unit vector, or why that one text has none.

        Blank texts are never sent to the model (`EmbeddingRejected("blank")`). A call that failed
        as a whole (an outage, too few vectors) raises as `embed_query` does.
        """
        ...


class SearchIndex(Protocol):
    """The disposable index: lexical and semantic legs over entries that carry a version.

    A partition is `{tenant}#{namespace}`. Of two writes of one id the higher version stands, equal
    versions: the later; so anything may be written twice, late or out of order.
    """

    @property
    def keeps_time(self) -> bool:
        """Whether a search ends within its `timeout` by itself, whatever it waits for."""
        ...

    def generation(self) -> str:
        """The generation that is read and written now; another one after the index was lost or
        rebuilt.
        """
        ...

    def reading(self, *, timeout: float | None = None) -> Reading:
        """That generation, with the fingerprint of the model whose vectors it holds; told within
        `timeout` seconds (None: the adapter's own), else raises `DeadlineExceeded`.
        """
        ...

    def write(self, entries: Sequence[Entry], *, visible: bool = True) -> list[WriteResult]:
        """Write entries (of any partitions), one result each, in order: `applied`, `stale`
        (something newer is there: success) or `rejected` with a reason. On return what was
        applied is visible, unless `visible` is false.
        """
        ...

    def refresh(self) -> None:
        """Make visible what was written before."""
        ...

    def search(
        self, queries: Sequence[LegQuery], *, timeout: float, generation: str | None = None
    ) -> list[LegResult]:
        """Ask all legs in one round trip; one result each, in order. Candidates are ordered by
        score descending, then id, then partition: those of several partitions as if all entries
        stood in one. A leg that failed says so in its `status`; if none could be asked: raises.

        `generation` is the one that the questions are meant for (None: the one read now): while it
        stands it is the one that answers, even if another is read by now; once it is gone, no other
        answers in its place: raises `GenerationGone`.
        """
        ...

    def walk(self, partition: str) -> Iterator[EntryState]:
        """Every entry of a partition, tombstones included, ordered by id."""
        ...

    def strays(self, partition: str, *, remove: bool = False) -> int:
        """How many entries of a partition stand beside the one of their id, which no write of this
        port makes; with `remove` they are gone on return.
        """
        ...

    def legs(self, partition: str, record_id: str) -> frozenset[Leg]:
        """The legs on which a search can still find anything of this id: none of a tombstone entry,
        or where there is no entry.
        """
        ...

    def matching(self, partition: str, where: Filter, *, after: str = "", limit: int) -> list[str]:
        """The ids of the entries of a partition that pass a filter, whether or not they are valid
        or expired, tombstones never: in the order of ids, those after the id `after`, at most
        `limit` of them. What a search would see is seen.
        """
        ...

    def heights(self) -> Iterator[tuple[str, int]]:
        """Each partition that has entries, with the highest revision that the version of one is
        made of, tombstones included; in any order.
        """
        ...

    def renew(self) -> str:
        """Replace the index, for every process that uses it, by an empty one of another
        generation; its name.
        """
        ...
