"""The embedded search index: one SQLite file, scored with numpy."""

from palimpsest.adapters.sqlite.index import SqliteIndex

__all__ = ["SqliteIndex"]
