"""A tenant's namespaces, as far as a key may see them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from palimpsest.ports import Directory

READ_AT_ONCE = 500
MAX_READ = 2_000
"""Names that one page looks at; a key that may see few of many gets short pages."""


@dataclass(frozen=True, slots=True)
class NamespacesPage:
    """Namespaces with their revisions, and the name after which the next page begins (None: the
    end).
    """

    namespaces: Sequence[tuple[str, int]]
    after: str | None


@dataclass(frozen=True, slots=True)
class NamespaceListService:
    """Lists namespaces that were ever written to."""

    directory: Directory

    def page(
        self, tenant: str, admits: Callable[[str], bool], *, limit: int, after: str = ""
    ) -> NamespacesPage:
        """The namespaces after a name that `admits` lets through, in the order of names."""
        seen: list[str] = []
        read, more = 0, True
        while more and read < MAX_READ and len(seen) <= limit:
            names = self.directory.names(tenant, after=after, limit=READ_AT_ONCE)
            seen += filter(admits, names)
            read += len(names)
            more = len(names) == READ_AT_ONCE
            after = names[-1] if names else after
        if len(seen) > limit:
            more, after = True, seen[limit - 1]
        shown = seen[:limit]
        clocks = self.directory.clocks(tenant, shown)
        return NamespacesPage(
            [(name, clocks[name].revision) for name in shown if name in clocks],
            after if more else None,
        )
