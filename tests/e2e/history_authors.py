"""The write behind each commit of a namespace, as far as log, texts and answers tell."""

from collections import Counter
from collections.abc import Iterator, Mapping

from e2e.history import ACTIVE, Entry, History, Table, Write


def explained(history: History, table: Table) -> tuple[dict[int, Write], list[str]]:
    """The write behind each revision, as far as it can be told, and what cannot be explained."""
    written = {write.made: write for write in history.writes if write.made is not None}
    entries = {entry.revision: entry for entry in table.log}
    told = [
        f"the acknowledged revision {revision} is not in the log: a write was lost"
        for revision in sorted(written.keys() - entries.keys())
    ]
    found, left, unexplained = _by_content(history, table, written)
    told += unexplained
    told += _unaccounted(history, left, list(found.values()))
    return {**found, **{r: w for r, w in written.items() if r in entries}}, told


def _by_content(
    history: History, table: Table, written: Mapping[int, Write]
) -> tuple[dict[int, Write], list[Entry], list[str]]:
    """The writes that only texts in the table tell of, and the commits that nothing tells of."""
    authors = {s.text: write for write in history.writes for s in write.steps if s.text is not None}
    found: dict[int, Write] = {}
    left: list[Entry] = []
    told: list[str] = []
    for entry in table.log:
        revision = entry.revision
        texts = _texts(entry, table)
        author = authors.get(texts[0]) if texts else None
        if revision in written:
            if not _changed_what_it_says(written[revision], entry):
                told.append(f"revision {revision} did not change what its write says")
        elif author is None:
            left.append(entry)
        elif author.made is not None or any(author is other for other in found.values()):
            told.append(f"{texts[0]!r} was written twice, at {revision} too")
        elif author.found is not None:
            told.append(f"{texts[0]!r} was refused, and written at {revision}")
        elif _changed_what_it_says(author, entry):
            found[revision] = author
        else:
            told.append(f"revision {revision} holds a part of its write only")
    return found, left, told


def _changed_what_it_says(write: Write, entry: Entry) -> bool:
    """All its records; what the same record had superseded before stays as it was."""
    changed, ids = entry.before.keys(), write.ids - {""}  # a generated id may never have been told
    marked = {step.record_id for step in write.steps if step.superseded}
    return (changed <= ids or "" in write.ids) and ids - changed <= marked


def _texts(entry: Entry, table: Table) -> list[str]:
    """The texts that a commit has put, as far as they are still there."""
    versions = [table.versions.get((i, entry.revision)) for i in entry.before]
    return [v.text for v in versions if v and v.status == ACTIVE and v.text is not None]


def _unaccounted(history: History, left: list[Entry], used: list[Write]) -> Iterator[str]:
    """Commits whose content is gone must be as many as there are writes of unknown outcome on the
    same records, at most.
    """
    unknown = [w for w in history.writes if w.made is None and w.found is None]
    may_be = Counter(w.ids for w in unknown if not any(w is other for other in used))
    for entry in left:
        ids = frozenset(entry.before)
        if may_be[ids] <= 0 and len(ids) == 1:
            ids = frozenset([""])  # one whose generated id nobody was told
        may_be[ids] -= 1
        if may_be[ids] < 0 and entry.before:
            yield f"revision {entry.revision} on {sorted(entry.before)}: nobody made it"
